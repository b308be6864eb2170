# The first stage has what a build needs (.devcontainer uses it too), the second builds. The third has the program, the libraries that it
# loads, certificates, time zones, and nothing else: no shell, no package manager (packaging/image_root.sh says what). About 10 MB to
# download.
FROM debian:bookworm-slim AS tools
WORKDIR /src
COPY dev ./
RUN ./dev install && apt-get install -y --no-install-recommends ca-certificates tzdata && rm -rf /var/lib/apt/lists/*

FROM tools AS build
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY lua lua
COPY dashboard dashboard
COPY include include
COPY src src
RUN ./dev build release headgate
COPY packaging packaging
RUN packaging/image_root.sh build/release/headgate /image

FROM scratch
COPY --from=build /image/ /
ENV PATH=/usr/bin
# By number, so that a cluster can check that it is not root. It writes no file: the root may be read-only.
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=2s --start-period=2s --retries=3 CMD ["headgate", "healthcheck"]
ENTRYPOINT ["headgate"]
CMD ["run", "-c", "/etc/headgate/headgate.json"]
