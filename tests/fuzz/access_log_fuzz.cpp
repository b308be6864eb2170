// Fuzzes the readers of logs: any bytes as a log in any format, compressed or not. The first byte chooses the format.

#include "fuzzer.hpp"

#include "headgate/access_logs/line_format.hpp"
#include "headgate/access_logs/log_arrivals.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

/// Each byte is looked at, so that a sanitizer sees where it lies.
std::size_t sum(std::string_view text) {
  std::size_t out = 0;
  for (const char c : text) out += static_cast<unsigned char>(c);
  return out;
}

void demand_sense(const access_logs::ReadOptions& options) {
  auto opened = access_logs::LogArrivals::open(options);
  if (opened.has_error()) {
    if (opened.error().empty()) std::abort();
    return;
  }
  auto& log = **opened;
  std::uint64_t requests = 0, late = 0, assumed = 0;
  std::size_t bytes = 0;
  Instant newest{};
  while (const auto* const one = log.next()) {
    if (one->path.empty() || one->method.empty() || (!one->query.empty() && one->query.front() != '?')) std::abort();
    if (one->answer.status < 200 || one->answer.status > 599 || one->answer.after < Duration(0)) std::abort();
    for (const auto& field : one->fields) bytes += sum(field.name) + sum(field.value);
    bytes += sum(one->path) + sum(one->query) + sum(one->host) + sum(one->method) + sum(log.value(0));
    late += requests++ > 0 && one->at < newest ? 1 : 0;
    newest = std::max(newest, one->at);
    assumed += log.assumed_ok() ? 1 : 0;
  }
  const auto& counts = log.counts();
  if (requests != counts.requests || late != counts.late || assumed != counts.assumed_ok) std::abort();
  if (requests + counts.no_request + counts.outside > counts.lines || counts.unread > counts.lines + 1) std::abort();
  if (bytes == 1) std::abort();  // never, but the compiler does not know
}

}  // namespace

void access_log_fuzz(std::string_view bytes) {
  if (bytes.empty()) return;
  static const int file = ::memfd_create("log", 0);
  const auto text = bytes.substr(1);
  demand(::ftruncate(file, 0) == 0);
  demand(::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  const auto all = access_logs::formats();
  access_logs::ReadOptions options{.files = {"/proc/self/fd/" + std::to_string(file)}};
  if (const std::size_t choice = static_cast<unsigned char>(bytes[0]); choice < all.size()) {
    options.format = all[choice]->name;
  } else if (choice == 255) {  // its first line describes it
    options.format = text.substr(0, text.find('\n'));
    options.window_lines = 2;
  }
  demand_sense(options);
}

}  // namespace headgate::fuzz
