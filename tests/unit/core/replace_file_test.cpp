#include "headgate/core/replace_file.hpp"

#include "support/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

namespace headgate {
namespace {

class ReplaceFile : public test::Folder {
 protected:
  static unsigned mode(const std::string& file) {
    struct stat info {};
    EXPECT_EQ(::stat(file.c_str(), &info), 0) << file;
    return info.st_mode & 07777U;
  }
};

TEST_F(ReplaceFile, LeavesNothingBesideTheNewOne) {
  const auto file = write("keys.json", "old");
  EXPECT_EQ(replace_file(file, "new"), std::nullopt);
  EXPECT_EQ(content(file), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(ReplaceFile, KeepsItsMode) {
  const auto file = write("keys.json", "old");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  EXPECT_EQ(replace_file(file, "new"), std::nullopt);
  EXPECT_EQ(mode(file), 0640U);
}

TEST_F(ReplaceFile, ThatWasNotThereIsItsOwnersAlone) {
  const auto file = path("keys.json");
  EXPECT_EQ(replace_file(file, "new"), std::nullopt);
  EXPECT_EQ(mode(file), 0600U);
  EXPECT_EQ(replace_file(path("pid"), "1", 0644), std::nullopt);
  EXPECT_EQ(mode(path("pid")), 0644U);
  EXPECT_EQ(replace_file(file, "newer", 0644), std::nullopt);
  EXPECT_EQ(mode(file), 0600U) << "it is not new";
}

TEST_F(ReplaceFile, GoesThroughLinks) {
  const auto file = write("keys.json", "old");
  const auto link = path("link");
  std::filesystem::create_symlink(file, link);
  EXPECT_EQ(replace_file(link, "new"), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content(file), "new");
}

TEST_F(ReplaceFile, SaysWhyItCannot) {
  const auto file = path("missing/keys.json");
  EXPECT_EQ(replace_file(file, "new"), "cannot write " + file + ": No such file or directory");
  EXPECT_EQ(files(), 0U);
}

TEST_F(ReplaceFile, StaysAsItIsIfTheLastLookSaysSo) {
  const auto file = write("keys.json", "old");
  const auto why = replace_file(file, "new", 0600, [&] {
    write("keys.json", "by hand");
    return false;
  });
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, file + " has changed meanwhile");
  EXPECT_EQ(content(file), "by hand");
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(replace_file(file, "new", 0600, [] { return true; }), std::nullopt);
  EXPECT_EQ(content(file), "new");
}

TEST_F(ReplaceFile, IsWholeForAReaderAtTheSameTime) {
  const auto file = write("keys.json", std::string(50'000, 'a'));
  std::jthread writer([&](const std::stop_token& stop) {
    for (char letter = 'b'; !stop.stop_requested(); letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1))
      EXPECT_EQ(replace_file(file, std::string(50'000, letter)), std::nullopt);
  });
  for (int i = 0; i < 50; ++i) {
    const auto seen = content(file);
    ASSERT_EQ(seen.size(), 50'000U);
    EXPECT_EQ(seen.find_first_not_of(seen.front()), seen.npos);
  }
}

TEST_F(ReplaceFile, WaitsForAProcessThatChangesTheSameFile) {
  const auto file = write("keys.json", "0");
  const auto count_up = [&] {
    for (int i = 0; i < 20; ++i) {
      const auto lock = FileLock::take(file);
      ASSERT_TRUE(lock.has_value());
      EXPECT_EQ(replace_file(file, std::to_string(std::stoi(content(file)) + 1)), std::nullopt);
    }
  };
  {
    const std::jthread one(count_up);
    const std::jthread other(count_up);
  }
  EXPECT_EQ(content(file), "40");
}

/// Holds a lock as anybody may who can open what is at `path`.
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

TEST_F(ReplaceFile, IsNotKeptFromItsLockByWhoCanOnlyOpenItsFolder) {
  const auto file = write("keys.json", "0");
  const HeldLock held(path(""));
  EXPECT_TRUE(FileLock::take(file).has_value());
}

TEST_F(ReplaceFile, GivesUpALockThatAnotherKeeps) {
  const auto file = write("keys.json", "0");
  const HeldLock held(file);
  const auto lock = FileLock::take(file);
  ASSERT_TRUE(lock.has_error());
  EXPECT_EQ(lock.error(), "another process has held the lock on " + file + " for two seconds");
}

TEST_F(ReplaceFile, IsLockedBeforeItIsThere) {
  const auto file = path("keys.json");
  const HeldLock held(path(""));
  EXPECT_TRUE(FileLock::take(file).has_error()) << "somebody may be making it";
}

}  // namespace
}  // namespace headgate
