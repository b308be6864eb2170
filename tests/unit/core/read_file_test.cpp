#include "headgate/core/read_file.hpp"

#include "support/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace headgate {
namespace {

using Kind = FileTrouble::Kind;

class ReadFile : public test::Folder {
 protected:
  std::string pipe(const std::string& name = "pipe") {
    const auto out = path(name);
    EXPECT_EQ(::mkfifo(out.c_str(), 0600), 0);
    return out;
  }
  static std::string text_of(const std::string& path, std::size_t most, Pipes pipes = Pipes::refused) {
    const auto text = read_file(path, most, pipes);
    EXPECT_TRUE(text.has_value());
    return text.has_value() ? *text : std::string();
  }
  static Kind trouble(const std::string& path, Pipes pipes = Pipes::refused) {
    const auto text = read_file(path, 1000, pipes);
    EXPECT_TRUE(text.has_error()) << path;
    return text.has_error() ? text.error().kind : Kind::system;
  }
};

TEST_F(ReadFile, GivesTheWholeContentUpToABound) {
  const auto file = write("a", std::string(1000, 'x'));
  EXPECT_EQ(text_of(file, 1000), std::string(1000, 'x'));
  EXPECT_EQ(read_file(file, 999).error().kind, Kind::too_large);
  EXPECT_EQ(text_of(write("empty", ""), 0), "");
  EXPECT_EQ(read_file(path("none"), 10).error().error, ENOENT);
  EXPECT_EQ(trouble(path("")), Kind::directory);
}

TEST_F(ReadFile, NeverWaitsForAPipeThatIsNoFile) {
  EXPECT_EQ(trouble(pipe()), Kind::not_regular);
  EXPECT_FALSE(why_unreadable(path("pipe"), 10).empty());
}

TEST_F(ReadFile, GivesUpAPipeThatNobodyWritesTo) { EXPECT_EQ(trouble(pipe(), Pipes::read), Kind::no_writer); }

TEST_F(ReadFile, ReadsAPipeToItsEndHoweverSlowItsWriterIs) {
  const auto from = pipe();
  std::thread writer([&] {
    const int to = ::open(from.c_str(), O_WRONLY | O_CLOEXEC);
    for (const char letter : {'a', 'b', 'c'}) {
      std::this_thread::yield();
      EXPECT_EQ(::write(to, &letter, 1), 1);
    }
    ::close(to);
  });
  EXPECT_EQ(text_of(from, 1000, Pipes::read), "abc");
  writer.join();
}

TEST_F(ReadFile, NeverReadsADeviceWithoutAnEnd) {
  EXPECT_EQ(trouble("/dev/zero"), Kind::not_regular);
  EXPECT_EQ(trouble("/dev/zero", Pipes::read), Kind::not_regular);
  EXPECT_EQ(text_of("/dev/null", 10, Pipes::read), "");
}

}  // namespace
}  // namespace headgate
