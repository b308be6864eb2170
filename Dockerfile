# The first stage builds; the second holds the binary, the libraries it loads, and nothing to build or download with.
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY dev ./
RUN ./dev install && rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY lua lua
COPY dashboard dashboard
COPY include include
COPY src src
RUN ./dev build release headgate && strip build/release/headgate

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libdate-tz3 libhiredis0.14 libprometheus-cpp-core1.0 libspdlog1.10 libssl3 \
      libnghttp2-14 libre2-9 libxxhash0 libyaml-cpp0.7 tzdata zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/headgate /usr/local/bin/headgate
COPY conf/headgate.json /etc/headgate/headgate.json
# By number, so that a cluster can check that it is not root. It writes no file: the root may be read-only.
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=2s --start-period=2s --retries=3 CMD ["headgate", "healthcheck", "http://127.0.0.1:8080/"]
ENTRYPOINT ["headgate"]
CMD ["run", "-c", "/etc/headgate/headgate.json"]
