# docker build -t retrylint . && docker run --rm -v "$PWD:/src:ro" retrylint check
FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev gcc make
WORKDIR /retrylint
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY rules rules
COPY benches benches
COPY tests/browser/what_if.rs tests/browser/what_if.rs
RUN cargo build --release --locked --bin retrylint

# git is for `compare --git` and `check --changed-since`; the tree that is looked at belongs to somebody else.
FROM alpine:3
RUN apk add --no-cache git && git config --system --add safe.directory '*'
COPY --from=build /retrylint/target/release/retrylint /usr/local/bin/retrylint
USER nobody
WORKDIR /src
ENTRYPOINT ["retrylint"]
