#include "headgate/access_logs/log_arrivals.hpp"

#include "log_merge.hpp"
#include "request_window.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/envoy/call_text.hpp"

#include <algorithm>
#include <map>

namespace headgate::access_logs {
namespace {

/// Maximum number of blocks to which waiting requests may refer: 24 MiB of lines.
constexpr std::size_t kMaxBlocks = 96;

Result<const LineFormat*, std::string> chosen_format(const std::string& name, LineFormat& custom) {
  if (name.empty()) return static_cast<const LineFormat*>(nullptr);
  if (name.find('$') != name.npos) {
    custom = {.name = "custom", .about = "as described", .layout = name};
    return &custom;
  }
  std::vector<std::string_view> names;
  for (const auto* const format : formats()) {
    if (format->name == name) return format;
    names.push_back(format->name);
  }
  const auto meant = nearest(name, names);
  return "there is no format \"" + name + "\"" + (meant.empty() ? "" : "; did you mean \"" + meant + "\"?") +
         ": it is one of " + joined(names, ", ") +
         ", or a description as '$remote_addr [$time_local] \"$request\" $status'";
}

}  // namespace

struct LogArrivals::Parts {
  explicit Parts(const ReadOptions& from) : options(from) {}

  bool admit();
  bool must_give() const noexcept;
  const engine::RequestArrival* give();

  ReadOptions options;
  LineFormat custom;
  std::vector<std::unique_ptr<LineReader>> readers;
  std::vector<OpenedLog> logs;
  std::uint64_t bytes_in_all = 0;
  ReadCounts counts;
  RequestBlocks pool;
  std::unique_ptr<LogMerge> merge;
  RequestWindow window;
  Instant newest{};        ///< time at which the last line was written
  Instant last{};          ///< start of the last arrival
  std::uint64_t read = 0;  ///< number of requests
  HeldRequest given;       ///< the last arrival
  engine::RequestArrival arrival;
  std::optional<envoy::RateLimitRequest> call;  ///< the call of the arrival
};

LogArrivals::LogArrivals(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LogArrivals::~LogArrivals() = default;

Result<std::unique_ptr<LogArrivals>, std::string> LogArrivals::open(const ReadOptions& options) {
  auto parts = std::make_unique<Parts>(options);
  const auto chosen = chosen_format(parts->options.format, parts->custom);
  if (chosen.has_error()) return chosen.error();
  std::vector<PendingLog> pending;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> seen;
  bool all_sizes = true;
  std::vector<bool> known(options.values.size());
  for (const auto& path : options.files) {
    auto input = LogInput::open(path);
    if (input.has_error()) return input.error();
    const auto file = path == "-" ? "the standard input" : path;
    if (const auto [at, added] = seen.emplace(input->identity(), file); !added)
      return file + " is there twice" + (at->second == file ? "" : ", also as " + at->second) + ": name it once";
    auto look = look_at(*input, *chosen, options.values);
    if (look.has_error()) return file + ": " + look.error();
    all_sizes = all_sizes && input->bytes_in_all() > 0;
    parts->bytes_in_all += input->bytes_in_all();
    PendingLog log{.file = file, .format = look->format};
    log.written = look->written.value_or(Instant{});
    log.bytes = input->bytes_in_all();
    if (!input->regular()) {
      log.input = std::move(*input);
      log.looked = std::move(look->bytes);
    }
    if (look->first_line.empty()) {
      parts->logs.push_back({log.file, ""});
      continue;
    }
    auto reader = LineReader::make(*look->format, look->first_line, options.values);
    if (reader.has_error()) return file + ": " + reader.error();
    for (std::size_t i = 0; i < known.size(); ++i) known[i] = known[i] || (*reader)->values_known()[i];
    log.reader = parts->readers.emplace_back(std::move(*reader)).get();
    pending.push_back(std::move(log));
  }
  for (std::size_t i = 0; i < known.size() && !pending.empty(); ++i) {
    if (known[i]) continue;
    const auto names = pending.front().reader->names();
    const auto meant = nearest(options.values[i], names);
    return "no line has \"" + options.values[i] + "\"" + (meant.empty() ? "" : "; did you mean \"" + meant + "\"?") +
           ": the format " + std::string(pending.front().format->name) + " has " + joined(names, ", ");
  }
  std::stable_sort(pending.begin(), pending.end(),
                   [](const PendingLog& a, const PendingLog& b) { return a.written < b.written; });
  for (const auto& log : pending) parts->logs.push_back({log.file, std::string(log.format->name)});
  if (!all_sizes) parts->bytes_in_all = 0;
  parts->merge = std::make_unique<LogMerge>(std::move(pending), parts->pool, parts->counts, options.unread_kept);
  return std::unique_ptr<LogArrivals>(new LogArrivals(std::move(parts)));
}

/// Reads one more request into the window. Returns false if there is none.
bool LogArrivals::Parts::admit() {
  auto* const source = merge->next();
  if (source == nullptr) return false;
  auto& block = source->block();
  const auto& request = block.requests[source->index()];
  newest = std::max(newest, source->written());
  if ((options.from && request.began < *options.from) || (options.until && request.began >= *options.until)) {
    ++counts.outside;
    return true;
  }
  ++block.held;
  window.push({.began = request.began, .number = read++, .block = &block, .index = source->index()});
  return true;
}

bool LogArrivals::Parts::must_give() const noexcept {
  return window.size() > options.window_lines || (!window.empty() && newest - window.first().began > options.window) ||
         (pool.taken() > kMaxBlocks + merge->open_logs() && !window.empty());
}

const engine::RequestArrival* LogArrivals::Parts::give() {
  given = window.first();
  window.pop();
  const auto& request = given.get();
  arrival.at = request.began;
  arrival.address = request.address;
  arrival.method = request.method;
  arrival.host = request.host.empty() ? std::string_view(options.host) : request.host;
  arrival.path = request.path;
  arrival.query = request.query;
  arrival.fields = {given.block->fields.data() + request.fields_at, request.fields};
  arrival.bytes = request.request_bytes;
  arrival.tls = request.tls;
  arrival.assumed = {.cost = request.cost, .hides_bodies = true};
  arrival.answer = {.status = request.status, .bytes = request.bytes, .after = request.took};
  call = request.call.empty() ? std::nullopt : envoy::call_in(request.call);
  arrival.call = call ? &*call : nullptr;
  if (counts.requests++ > 0 && request.began < last) ++counts.late;
  last = std::max(last, request.began);
  if (request.assumed_ok) ++counts.assumed_ok;
  return &arrival;
}

const engine::RequestArrival* LogArrivals::next() {
  auto& parts = *parts_;
  if (parts.given.block != nullptr) parts.pool.release(*std::exchange(parts.given.block, nullptr));
  while (!parts.must_give())
    if (!parts.admit()) return parts.window.empty() ? nullptr : parts.give();
  return parts.give();
}

std::string_view LogArrivals::value(std::size_t index) const noexcept {
  const auto& given = parts_->given;
  if (given.block == nullptr || index >= parts_->options.values.size()) return {};
  return given.block->values[given.get().values_at + index];
}

bool LogArrivals::assumed_ok() const noexcept {
  return parts_->given.block != nullptr && parts_->given.get().assumed_ok;
}

const std::vector<OpenedLog>& LogArrivals::logs() const noexcept { return parts_->logs; }
const ReadCounts& LogArrivals::counts() const noexcept { return parts_->counts; }
ReadProgress LogArrivals::progress() const noexcept { return {parts_->merge->bytes_read(), parts_->bytes_in_all}; }

}  // namespace headgate::access_logs
