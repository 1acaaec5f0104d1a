PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE context (
  key     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again for another context
  name    TEXT    NOT NULL UNIQUE,
  edition TEXT    NOT NULL,                   -- of the selector language
  first   INTEGER NOT NULL                    -- cycle of the oldest snapshot
) STRICT;
INSERT INTO context VALUES(1,'chat','canonical',1);
INSERT INTO context VALUES(2,'empty','v0.1',1);
CREATE TABLE log (
  branch     INTEGER NOT NULL,  -- context.key
  revision   INTEGER NOT NULL,
  kind       TEXT    NOT NULL,  -- create, edit or commit
  cycle      INTEGER NOT NULL,  -- that was published or worked on
  time_ns    INTEGER NOT NULL,
  actor      TEXT,
  message    TEXT,
  request    TEXT,              -- token by which a retry is recognised
  report     TEXT,              -- JSON: what a commit removed, held back, and why
  latest     INTEGER NOT NULL,  -- cycle of the latest snapshot
  work_cycle INTEGER NOT NULL,  -- cycle of the commit to come
  last_ns    INTEGER NOT NULL,  -- the last created_ns given
  next_index INTEGER NOT NULL,  -- the next creation_index
  given      INTEGER NOT NULL,  -- the highest cycle in a given id that looks generated
  next_nid   INTEGER NOT NULL,
  PRIMARY KEY (branch, revision)
) STRICT, WITHOUT ROWID;
INSERT INTO log VALUES(1,1,'create',0,1795273053645758883,'ann',NULL,NULL,NULL,0,1,1795273053645758883,0,-1,7);
INSERT INTO log VALUES(1,2,'edit',1,1795273053658359307,'ann',NULL,NULL,NULL,0,1,1795273053658359307,1,-1,8);
INSERT INTO log VALUES(1,3,'edit',1,1795273053677609999,'ann',NULL,NULL,NULL,0,1,1795273053677609999,2,-1,9);
INSERT INTO log VALUES(1,4,'commit',1,1795273053689360810,'ann','first question','r1',NULL,1,2,1795273053689360810,0,-1,12);
INSERT INTO log VALUES(1,5,'edit',2,1795273053700399276,'ann',NULL,NULL,NULL,1,2,1795273053700399276,1,-1,13);
INSERT INTO log VALUES(1,6,'edit',2,1795273053711325827,'ann',NULL,NULL,NULL,1,2,1795273053711325827,2,-1,14);
INSERT INTO log VALUES(1,7,'commit',2,1795273053721313942,'ann',NULL,NULL,NULL,2,3,1795273053721313942,0,-1,17);
INSERT INTO log VALUES(1,8,'edit',3,1795273053733604853,'ann',NULL,NULL,NULL,2,3,1795273053733604853,1,-1,18);
INSERT INTO log VALUES(1,9,'commit',3,1795273053764559156,'ann','third',NULL,NULL,3,4,1795273053764559156,0,-1,21);
INSERT INTO log VALUES(1,10,'edit',4,1795273053776702092,'ann',NULL,NULL,NULL,3,4,1795273053776702092,1,-1,22);
INSERT INTO log VALUES(1,11,'edit',4,1795273053776702092,'ann',NULL,NULL,NULL,3,4,1795273053776702092,1,-1,22);
INSERT INTO log VALUES(2,1,'create',0,1795273053903243283,'ann',NULL,NULL,NULL,0,1,1795273053903243283,0,-1,7);
CREATE TABLE node_version (
  branch         INTEGER NOT NULL,  -- context.key
  birth          INTEGER NOT NULL,  -- cycle of the first snapshot with this version, or without the node
  nid            INTEGER NOT NULL,
  death          TEXT,              -- why the node is gone: edit, seal, expired, cascade or pruned; what follows is NULL then
  parent         INTEGER,           -- nid; NULL for the root
  id             TEXT,
  type           TEXT,
  "offset"       INTEGER,
  priority       INTEGER,
  cycle          INTEGER,           -- that introduced the node
  created_ns     INTEGER,
  created_iso    TEXT,              -- where it is not created_ns in the usual form
  creation_index INTEGER,
  expiry         INTEGER,           -- the first cycle that commits without the node
  headers        TEXT,              -- JSON object of optional and custom headers
  content_no     INTEGER,           -- content.no; NULL where there is no content
  content_size   INTEGER,           -- bytes; NULL where there is no content
  content_hash   BLOB,              -- SHA-256; NULL without content or where JSON cannot express it
  named          INTEGER,           -- 1 where the id does not tell the birth: see node_named
  PRIMARY KEY (branch, birth, nid)
) STRICT, WITHOUT ROWID;
INSERT INTO node_version VALUES(1,0,1,NULL,NULL,'root','^root',0,0,0,1795273053645742850,NULL,0,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(1,0,2,NULL,1,'sys','^sys',0,0,0,1795273053645757521,NULL,1,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(1,0,3,NULL,1,'seq','^seq',0,0,0,1795273053645758292,NULL,2,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(1,0,4,NULL,1,'ah','^ah',0,0,0,1795273053645758883,NULL,3,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(1,1,4,'seal',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,1,5,NULL,3,'seg:1-2','seg',0,0,1,1795273053689357575,NULL,2,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,1,6,NULL,5,'cont:1-3','cont',0,0,1,1795273053689358397,NULL,3,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,1,7,NULL,2,'block:1-0','block',0,0,1,1795273053658359307,NULL,0,NULL,'{"role":"system"}',1,11,X'8192d82c22842355d569fb5f2d4d370759c5fef9f53ae0725d00ace6dea30e7e',NULL);
INSERT INTO node_version VALUES(1,1,8,NULL,6,'block:1-1','block',0,0,1,1795273053677609999,NULL,1,NULL,'{"role":"user"}',2,21,X'b8bbb86bf544de4f86ea436f59bd13c3da0dce58772ed5c556ff0e5a053f5c2c',NULL);
INSERT INTO node_version VALUES(1,1,9,NULL,1,'ah:1-4','^ah',0,0,1,1795273053689360810,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,2,9,'seal',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,2,10,NULL,3,'seg:2-2','seg',0,0,2,1795273053721310177,NULL,2,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,2,11,NULL,10,'cont:2-3','cont',0,0,2,1795273053721311379,NULL,3,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,2,12,NULL,10,'block:2-0','block',1,0,2,1795273053700399276,NULL,0,4,'{"kind":"result"}',3,29,X'f629a60e7002243c9efb3e93d8fdd1684253c14ebc7517c016aa95f44c4f5802',NULL);
INSERT INTO node_version VALUES(1,2,13,NULL,11,'block:2-1','block',0,0,2,1795273053711325827,NULL,1,NULL,'{"role":"user"}',4,16,X'f1d5956128e31aeffba2c44d2b84b7149e76165c6708707a06fd1d7b9c1d50db',NULL);
INSERT INTO node_version VALUES(1,2,14,NULL,1,'ah:2-4','^ah',0,0,2,1795273053721313942,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,3,14,'seal',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,3,15,NULL,3,'seg:3-1','seg',0,0,3,1795273053764552416,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,3,16,NULL,15,'cont:3-2','cont',0,0,3,1795273053764553157,NULL,2,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,3,17,NULL,16,'block:3-0','block',0,0,3,1795273053733604853,NULL,0,NULL,'{"role":"user"}',5,6,X'ba5ed213e1b4c92cd381f4937aedaddb7222bff123f2d9a146bd37b8cc9690f2',NULL);
INSERT INTO node_version VALUES(1,3,18,NULL,1,'ah:3-3','^ah',0,0,3,1795273053764559156,NULL,3,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_version VALUES(1,4,7,NULL,2,'block:1-0','block',0,0,1,1795273053658359307,NULL,0,NULL,'{"role":"system"}',7,16,X'c2060944c8b261fb89011ba9482828b45250f69ee637050d8d07fbac453574cb',1);
INSERT INTO node_version VALUES(1,4,21,NULL,20,'block:4-0','block',0,0,4,1795273053776702092,NULL,0,NULL,'{"kind":"text","role":"user"}',6,9,X'688ce33ea3c59c42d57e542b276584fc8f43923e1fadb5a727cd2ed2c6cde96b',NULL);
INSERT INTO node_version VALUES(2,0,1,NULL,NULL,'root','^root',0,0,0,1795273053903227920,NULL,0,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(2,0,2,NULL,1,'sys','^sys',0,0,0,1795273053903241651,NULL,1,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(2,0,3,NULL,1,'seq','^seq',0,0,0,1795273053903242412,NULL,2,NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO node_version VALUES(2,0,4,NULL,1,'ah','^ah',0,0,0,1795273053903243283,NULL,3,NULL,NULL,NULL,NULL,NULL,1);
CREATE TABLE content (
  no   INTEGER PRIMARY KEY,
  body BLOB NOT NULL  -- canonical JSON
) STRICT;
INSERT INTO content VALUES(1,X'2242652062726965662e22');
INSERT INTO content VALUES(2,X'225768657265206973206d792070617263656c3f22');
INSERT INTO content VALUES(3,X'7b226e223a5b312c322e355d2c22737461747573223a2273656e74227d');
INSERT INTO content VALUES(4,X'225468616e6b732c205c753030653922');
INSERT INTO content VALUES(5,X'224d6f726522');
INSERT INTO content VALUES(6,X'226120647261667422');
INSERT INTO content VALUES(7,X'22426520766572792062726965662e22');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('context',2);
CREATE UNIQUE INDEX log_request ON log (branch, request) WHERE request IS NOT NULL;
CREATE INDEX node_named ON node_version (branch, id) WHERE named = 1;
COMMIT;
