#pragma once
// Log files for tests.

#include "headgate/access_logs/log_arrivals.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

/// A file as long as it lives.
class TemporaryLog {
 public:
  explicit TemporaryLog(std::string_view text) {
    std::string path = "/tmp/headgate_log_XXXXXX";
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0) std::abort();
    ::close(descriptor);
    path_ = path;
    write(text);
  }
  TemporaryLog(const TemporaryLog&) = delete;
  TemporaryLog& operator=(const TemporaryLog&) = delete;
  ~TemporaryLog() { std::remove(path_.c_str()); }

  void write(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// An arrival, copied.
struct Arrived {
  Instant at;
  std::string address, method, host, path, query;
  std::vector<std::pair<std::string, std::string>> fields;
  std::uint64_t request_bytes, bytes;
  unsigned status;
  Duration after;
  bool tls, assumed_ok;
  std::vector<std::string> values;

  std::string field(std::string_view name) const {
    for (const auto& [known, value] : fields)
      if (same_word(known, name)) return value;
    return "";
  }
};

/// All that a log has.
struct ReadLog {
  std::string error;  ///< why it was not opened
  std::vector<access_logs::OpenedLog> logs;
  access_logs::ReadCounts counts;
  std::vector<Arrived> arrivals;
};

inline ReadLog read_log(const access_logs::ReadOptions& options) {
  ReadLog out;
  auto opened = access_logs::LogArrivals::open(options);
  if (opened.has_error()) {
    out.error = opened.error();
    return out;
  }
  auto& log = **opened;
  while (const auto* const one = log.next()) {
    auto& kept = out.arrivals.emplace_back(Arrived{one->at,
                                                   one->address.to_string(),
                                                   std::string(one->method),
                                                   std::string(one->host),
                                                   std::string(one->path),
                                                   std::string(one->query),
                                                   {},
                                                   one->bytes,
                                                   one->answer.bytes,
                                                   one->answer.status,
                                                   one->answer.after,
                                                   one->tls,
                                                   log.assumed_ok(),
                                                   {}});
    for (const auto& field : one->fields) kept.fields.emplace_back(field.name, field.value);
    for (std::size_t i = 0; i < options.values.size(); ++i) kept.values.emplace_back(log.value(i));
  }
  out.logs = log.logs();
  out.counts = log.counts();
  return out;
}

/// Of one file with this text.
inline ReadLog read_text(std::string_view text, access_logs::ReadOptions options = {}) {
  const TemporaryLog file(text);
  options.files = {file.path()};
  return read_log(options);
}

}  // namespace headgate::test
