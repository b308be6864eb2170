# Compiles for arm64 on another machine, with Debian's cross compiler and its libraries for arm64 (dpkg --add-architecture arm64). ./dev
# arm64 installs both in a small separate Debian.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
# Runs the program during the installation, which writes files that the program prints.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
