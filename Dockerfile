# The command line with nothing else, for a container whose root is read-only. See docs/deploying.md.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /pact ./cmd/pact && mkdir /data && chown 65532:65532 /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /src/THIRD_PARTY_NOTICES.txt /
COPY --from=build /pact /pact
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
VOLUME /data
ENV PACT_DB=/data/pact.db
EXPOSE 7741
ENTRYPOINT ["/pact"]
CMD ["serve", "--help"]
