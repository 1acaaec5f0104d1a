BEGIN TRANSACTION;
CREATE TABLE attempt (
  branch     INTEGER NOT NULL,  -- context.key
  cycle      INTEGER NOT NULL,  -- that was under way
  number     INTEGER NOT NULL,  -- within the cycle, from 1; the id is attempt:<cycle>-<number>, in a fork with -f and its number
  status     TEXT    NOT NULL,  -- running, completed, canceled or error
  started_ns INTEGER NOT NULL,
  ended_ns   INTEGER,           -- NULL while it is running
  provider   TEXT    NOT NULL,
  model      TEXT    NOT NULL,
  params     BLOB    NOT NULL,  -- SHA-256 of the parameters as canonical JSON
  token_in   INTEGER,
  token_out  INTEGER,
  error      TEXT,
  thread     BLOB    NOT NULL,  -- SHA-256 of the canonical thread that was sent
  proof      INTEGER NOT NULL,  -- the first 8 bytes of SHA-256 over all other columns of the row
  PRIMARY KEY (branch, cycle, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE content (
  no   INTEGER PRIMARY KEY,
  body BLOB NOT NULL  -- canonical JSON
) STRICT;
INSERT INTO "content" VALUES(1,X'226120647261667422');
CREATE TABLE context (
  key     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again for another context
  name    TEXT    NOT NULL UNIQUE,
  edition TEXT    NOT NULL,                   -- of the selector language
  first   INTEGER NOT NULL                    -- cycle of the oldest snapshot
, origin          INTEGER, origin_cycle    INTEGER, origin_revision INTEGER, fork            INTEGER NOT NULL DEFAULT 0, forks           INTEGER NOT NULL DEFAULT 0, deleted         INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, erasures INTEGER NOT NULL DEFAULT 0, proof INTEGER) STRICT;
INSERT INTO "context" VALUES(1,'chat','canonical',1,NULL,NULL,NULL,0,1,0,0,0,-1335070560437995731);
INSERT INTO "context" VALUES(2,'fork','canonical',1,1,2,4,1,0,0,0,0,6153798915037093078);
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
  next_nid   INTEGER NOT NULL, digest BLOB, thread BLOB, sent   BLOB, chain  BLOB,
  PRIMARY KEY (branch, revision)
) STRICT, WITHOUT ROWID;
INSERT INTO "log" VALUES(1,1,'create',0,1700000000000000028,NULL,NULL,NULL,NULL,0,1,1700000000000000028,0,-1,7,X'6486640AAB4C706C5DADDCF39968944C036D19181026A55656BE3563E4D79992',X'DBC1B4C900FFE48D575B5DA5C638040125F65DB0FE3E24494B76EA986457D986',NULL,X'393BA83BDE30B461DE6BBB2FD944348D75109BE2FCF4B81C00DF5C303C39FF12');
INSERT INTO "log" VALUES(1,2,'edit',1,1700000000000000049,NULL,NULL,NULL,NULL,0,1,1700000000000000049,3,-1,10,X'F483F555D9D6DD9BD9F321456D0D476446E5B703C7B2E1489FFF63D82D12AD1B',NULL,NULL,X'9D123DA94AAB5B5C76B4C43E75BEAD294A3317A0D569DAB82B937F4BE498A1E1');
INSERT INTO "log" VALUES(1,3,'commit',1,1700000000000000070,NULL,NULL,NULL,NULL,1,2,1700000000000000070,0,-1,13,X'02DACBCD1803EC3BFE706CFDDFBDD90F2F94AE0784279E12BED87A82D2C7DE08',X'A1623B228E3AA6CD48576B3244140802A999E3BA72C9A3A693C9DED942751BA1',NULL,X'E67D222BF4056BB34869FEECDA8898BED4FFAE2791066BCB9F4FEE6B608652DA');
INSERT INTO "log" VALUES(1,4,'commit',2,1700000000000000091,NULL,NULL,NULL,'{"removed":[{"id":"last","reason":"expired"}],"held":[{"id":"group","reason":"cascade","kept":"referenced","by":"holder"}]}',2,3,1700000000000000091,0,-1,16,X'E50D2FE59420C56954546DDB5AF82C0D9406828AD4DC5961802A06C03269CDB1',X'AFC75B9D80C0609AFE7DB76778819210F9C3DDBDD6842422EA8E2E96BE3BDA23',NULL,X'D3BF8F6A60CF51BFC4F40AE8A5546FC4379C91CFE1274000F70D988BA722F692');
INSERT INTO "log" VALUES(1,5,'edit',3,1700000000000000098,NULL,NULL,NULL,NULL,2,3,1700000000000000098,1,-1,17,X'8E0FB6646911632E5D4F0DE2983A545F0250480C29DBAD35826A42BBB8898933',NULL,NULL,X'8A78A7719A6CB276A1E62D2FDE871F3A411FBEF029D2D66AA78D2236C73C981E');
INSERT INTO "log" VALUES(2,5,'fork',2,1700000000000000091,NULL,NULL,NULL,NULL,2,3,1700000000000000091,0,-1,16,X'E50D2FE59420C56954546DDB5AF82C0D9406828AD4DC5961802A06C03269CDB1',X'AFC75B9D80C0609AFE7DB76778819210F9C3DDBDD6842422EA8E2E96BE3BDA23',NULL,X'D8CDBFF50003C0CF2201D2B6E50CFC72EB78B9A30E84DC62B32F5086FF23AF66');
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
  named          INTEGER, proof INTEGER,           -- 1 where the id does not tell the birth: see node_named
  PRIMARY KEY (branch, birth, nid)
) STRICT, WITHOUT ROWID;
INSERT INTO "node_version" VALUES(1,0,1,NULL,NULL,'root','^root',0,0,0,1700000000000000007,NULL,0,NULL,NULL,NULL,NULL,NULL,1,-6463080030417142071);
INSERT INTO "node_version" VALUES(1,0,2,NULL,1,'sys','^sys',0,0,0,1700000000000000014,NULL,1,NULL,NULL,NULL,NULL,NULL,1,-1516482437658991134);
INSERT INTO "node_version" VALUES(1,0,3,NULL,1,'seq','^seq',0,0,0,1700000000000000021,NULL,2,NULL,NULL,NULL,NULL,NULL,1,881051355372864503);
INSERT INTO "node_version" VALUES(1,0,4,NULL,1,'ah','^ah',0,0,0,1700000000000000028,NULL,3,NULL,NULL,NULL,NULL,NULL,1,5100286510168102224);
INSERT INTO "node_version" VALUES(1,1,4,'seal',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,9177377989147063187);
INSERT INTO "node_version" VALUES(1,1,5,NULL,3,'seg:1-3','seg',0,0,1,1700000000000000056,NULL,3,NULL,NULL,NULL,NULL,NULL,NULL,8807306741918280923);
INSERT INTO "node_version" VALUES(1,1,6,NULL,5,'cont:1-4','cont',0,0,1,1700000000000000063,NULL,4,NULL,NULL,NULL,NULL,NULL,NULL,-5873610491984912261);
INSERT INTO "node_version" VALUES(1,1,7,NULL,2,'holder','block',0,0,1,1700000000000000049,NULL,2,NULL,'{"refs":["group"]}',NULL,NULL,NULL,1,4282661885097296077);
INSERT INTO "node_version" VALUES(1,1,8,NULL,5,'group','mc',1,0,1,1700000000000000035,NULL,0,NULL,'{"removable":true}',NULL,NULL,NULL,1,-2363863437433182964);
INSERT INTO "node_version" VALUES(1,1,9,NULL,8,'last','block',0,0,1,1700000000000000042,NULL,1,2,NULL,NULL,NULL,NULL,1,8520981929757452801);
INSERT INTO "node_version" VALUES(1,1,10,NULL,1,'ah:1-5','^ah',0,0,1,1700000000000000070,NULL,5,NULL,NULL,NULL,NULL,NULL,NULL,-6140496941651800047);
INSERT INTO "node_version" VALUES(1,2,9,'expired',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,-7507498222175845733);
INSERT INTO "node_version" VALUES(1,2,10,'seal',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,8170949628683710153);
INSERT INTO "node_version" VALUES(1,2,11,NULL,3,'seg:2-0','seg',0,0,2,1700000000000000077,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,7274491836178046619);
INSERT INTO "node_version" VALUES(1,2,12,NULL,11,'cont:2-1','cont',0,0,2,1700000000000000084,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,4603510301272970268);
INSERT INTO "node_version" VALUES(1,2,13,NULL,1,'ah:2-2','^ah',0,0,2,1700000000000000091,NULL,2,NULL,NULL,NULL,NULL,NULL,NULL,-4837420505477112785);
INSERT INTO "node_version" VALUES(1,3,16,NULL,15,'block:3-0','block',0,0,3,1700000000000000098,NULL,0,NULL,'{"kind":"text","role":"user"}',1,9,X'688CE33EA3C59C42D57E542B276584FC8F43923E1FADB5A727CD2ED2C6CDE96B',NULL,6107862600683546866);
CREATE TABLE unclean (
  no       INTEGER PRIMARY KEY,
  since_ns INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX log_request ON log (branch, request) WHERE request IS NOT NULL;
CREATE INDEX node_named ON node_version (branch, id) WHERE named = 1;
CREATE INDEX context_origin ON context (origin) WHERE origin IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('context',2);
COMMIT;
