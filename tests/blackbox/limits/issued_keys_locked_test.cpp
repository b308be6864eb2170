// Somebody keeps a lock on the key file, or on its folder: gateways go on.

#include "blackbox/limits/issued_keys.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

namespace headgate::test {
namespace {

/// A lock that anybody can hold who can open the file or folder.
class HeldLock {
 public:
  explicit HeldLock(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    EXPECT_EQ(::flock(fd_, LOCK_SH), 0);
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock() { ::close(fd_); }

 private:
  int fd_;
};

TEST(IssuedKeys, AreRevokedAndReloadedWhileSomebodyKeepsALock) {
  const TemporaryFile file("{\n  \"keys\": [\n    " + kHandRecord + "\n  ]\n}\n", "keys.json");
  Proxy proxy(issuing(file.path()));
  const Operator admin(proxy.gateway.process());
  const auto first = issue(admin);
  const auto second = issue(admin);
  {
    const HeldLock folder(std::filesystem::path(file.path()).parent_path());
    EXPECT_TRUE(revoke(admin, first.id).at("file").at("written").get<bool>())
        << "who cannot read the file keeps nobody from it";
  }
  const HeldLock of_file(file.path());
  const auto told = revoke(admin, second.id);
  EXPECT_FALSE(told.at("file").at("written").get<bool>());
  EXPECT_TRUE(has(told.at("file").at("why").get<std::string>(), "another process has held the lock")) << told;
  EXPECT_EQ(asked_with(proxy, second.key), 401);
  EXPECT_TRUE(has(admin.get("/api/v1/status").dump(), "keys_unwritten"));
  EXPECT_EQ(admin.ask("POST", "/api/v1/reload").status(), 200);
  EXPECT_EQ(proxy.gateway.terminate(), 0) << "the lock is still held";
}

}  // namespace
}  // namespace headgate::test
