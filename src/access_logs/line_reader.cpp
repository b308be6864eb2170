#include "line_reader.hpp"

#include "csv_splitter.hpp"
#include "json_splitter.hpp"
#include "numbers.hpp"
#include "text_splitter.hpp"

#include "headgate/http/known_field.hpp"

#include <algorithm>
#include <utility>

namespace headgate::access_logs {
namespace {

constexpr Duration kLongestAnswer = std::chrono::hours(24 * 366);
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

/// Compared byte by byte: a call of memcmp for each part would be a tenth of the time.
bool untold(std::string_view cell) noexcept { return cell.empty() || (cell.size() == 1 && cell.front() == '-'); }

/// "GET /path HTTP/1.1" without its method: what stands before the version, if there is one.
std::string_view without_version(std::string_view text) noexcept {
  constexpr std::string_view kVersion = " HTTP/";
  const auto usual = text.size() < kVersion.size() + 3 ? text.size() : text.size() - kVersion.size() - 3;
  if (text.substr(usual).starts_with(kVersion)) return text.substr(0, usual);
  return text.substr(0, text.rfind(kVersion));
}

/// Words in headgate's log for answers of the gateway because of limits and of load: no server was asked.
bool refused_by_gateway(std::string_view ended_by) noexcept {
  constexpr std::array<std::string_view, 7> kRefusals{"limit",   "ban",   "waiting_room", "shed",
                                                      "circuit", "drain", "operator"};
  return std::find(kRefusals.begin(), kRefusals.end(), ended_by) != kRefusals.end();
}

bool has_tls(std::string_view scheme) noexcept {
  return scheme == "https" || scheme == "h2" || scheme == "wss" || scheme == "grpcs" || scheme == "on" ||
         scheme.ends_with('~');  // as HAProxy marks the name of a frontend
}

std::string_view without_padding(std::string_view text) noexcept {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool LineParts::add(std::string_view name, Meaning meaning, std::string_view text) {
  if (all.size() == LineCells::kMax) return false;
  auto& part = all.emplace_back(Part{std::string(name), meaning, std::string(text)});
  if (meaning == Meaning::forwarded_for) part.text = "X-Forwarded-For";
  part.id = http::known_field(part.text);
  return true;
}

/// A request of which not all is known yet.
struct LineReader::Draft {
  LoggedRequest request;
  const char* line = nullptr;  ///< its first byte
  std::string_view forwarded_for;
  http::Known forwarded_id = http::Known::unknown;
  Instant began{};
  Instant ended{};
  std::uint64_t waited = 0;
  bool has_began = false;
  bool has_ended = false;
  bool ended_fraction = false;
  bool has_address = false;
  bool has_status = false;
  bool has_took = false;
  bool has_bytes = false;
  bool answered = false;
  bool refused = false;
  bool has_user_agent = false;
  bool no_request = false;

  /// Takes scheme and host from a whole address.
  void address(std::string_view& text) noexcept {
    const auto scheme = text.find("://");
    if (scheme == text.npos) return;
    request.tls = has_tls(text.substr(0, scheme));
    text.remove_prefix(scheme + 3);
    const auto slash = std::min(text.find_first_of("/?"), text.size());
    if (request.host.empty()) request.host = text.substr(0, slash);
    text.remove_prefix(slash);
  }

  void target(std::string_view text) noexcept {
    if (!text.starts_with('/')) address(text);
    const auto mark = std::min(text.find('?'), text.size());
    request.path = mark == 0 ? std::string_view("/") : text.substr(0, mark);
    request.query = text.substr(mark);
  }
};

Result<std::unique_ptr<LineReader>, std::string> LineReader::make(const LineFormat& format, std::string_view first,
                                                                  const std::vector<std::string>& values) {
  auto parts = std::make_unique<LineParts>();
  std::unique_ptr<LineSplitter> splitter;
  if (format.kind == LineKind::text) {
    auto made = TextSplitter::make(format, *parts);
    if (made.has_error()) return made.error();
    splitter = std::move(*made);
  } else if (format.kind == LineKind::json) {
    splitter = std::make_unique<JsonSplitter>(format, values, *parts);
  } else {
    auto made = CsvSplitter::make(first, *parts);
    if (made.has_error()) return made.error();
    splitter = std::move(*made);
  }
  return std::unique_ptr<LineReader>(new LineReader(format, std::move(parts), std::move(splitter), values));
}

LineReader::LineReader(const LineFormat& format, std::unique_ptr<LineParts> parts,
                       std::unique_ptr<LineSplitter> splitter, const std::vector<std::string>& values)
    : format_(format), parts_(std::move(parts)), splitter_(std::move(splitter)) {
  for (const auto& value : values) {
    const auto at =
        std::find_if(parts_->all.begin(), parts_->all.end(), [&](const auto& part) { return part.name == value; });
    value_parts_.push_back(at == parts_->all.end() ? -1 : static_cast<int>(at - parts_->all.begin()));
    values_known_.push_back(at != parts_->all.end());
  }
}

void LineReader::know_parts() {
  bool query = false, scheme = false, size = false;
  used_.clear();
  for (std::size_t i = 0; i < parts_->all.size(); ++i)
    if (parts_->all[i].meaning != Meaning::nothing) used_.emplace_back(&parts_->all[i], &cells_.at[i]);
  for (const auto& part : parts_->all) {
    const auto meaning = part.meaning;
    query = query || meaning == Meaning::request || meaning == Meaning::target || meaning == Meaning::query;
    scheme = scheme || meaning == Meaning::scheme || meaning == Meaning::tls;
    size = size || meaning == Meaning::request_bytes;
    has_path_ = has_path_ || meaning == Meaning::request || meaning == Meaning::target || meaning == Meaning::path;
  }
  never_ = {.query = !query, .scheme = !scheme, .request_size = !size};
  parts_known_ = parts_->all.size();
}

LineReader::Outcome LineReader::read(char* begin, char* end, RequestBlock& block, MissingParts& missing) {
  if (format_.body != nullptr) begin += format_.body({begin, static_cast<std::size_t>(end - begin)}).data() - begin;
  cells_.fields_count = 0;
  cells_.rest = false;
  told_ = 0;
  if (const char* const why = splitter_->split(begin, end, cells_)) return refuse(why);
  if (parts_known_ != parts_->all.size()) know_parts();
  Draft draft;
  draft.line = begin;
  draft.request.fields_at = static_cast<std::uint32_t>(block.fields.size());
  draft.request.values_at = static_cast<std::uint32_t>(block.values.size());
  const auto undo = [&] {
    block.fields.resize(draft.request.fields_at);
    return Outcome::unread;
  };
  for (const auto& [part, cell] : used_) {
    if (const char* const why = take(*part, *cell, draft, block)) {
      why_ = why;
      return undo();
    }
    if (draft.no_request) {
      undo();
      return Outcome::no_request;
    }
  }
  if (const char* const why = finish(draft, block, missing)) {
    why_ = why;
    undo();
    return draft.no_request ? Outcome::no_request : Outcome::unread;
  }
  for (const int part : value_parts_) {
    const auto value = part < 0 ? std::string_view() : cells_.at[static_cast<std::size_t>(part)];
    block.values.push_back(untold(value) ? std::string_view() : value);
  }
  block.requests.push_back(draft.request);
  return Outcome::request;
}

const char* LineReader::take(const LineParts::Part& part, std::string_view cell, Draft& draft, RequestBlock& block) {
  auto& request = draft.request;
  if (untold(cell)) {
    if (part.meaning == Meaning::request) draft.no_request = true;
    return nullptr;
  }
  ++told_;
  const auto duration = [&](unsigned places) -> const char* {
    if (cell.starts_with('-')) return nullptr;  // -1: it did not come to that
    if (cell.starts_with('+')) cell.remove_prefix(1);
    const auto micros = scaled_number(cell, places);
    if (!micros || *micros > static_cast<std::uint64_t>(kLongestAnswer.count())) return "its duration is none";
    request.took += Duration(static_cast<std::int64_t>(*micros));
    draft.has_took = true;
    return nullptr;
  };
  switch (part.meaning) {
    case Meaning::began: {
      const auto moment = began_.read(cell);
      if (!moment) return "its time is none";
      draft.began = *moment;
      draft.has_began = true;
      return nullptr;
    }
    case Meaning::ended: {
      const auto moment = ended_.read(cell);
      if (!moment) return "its time is none";
      if (draft.has_ended && !ended_.fraction()) return nullptr;
      draft.ended = *moment;
      draft.has_ended = true;
      draft.ended_fraction = ended_.fraction();
      return nullptr;
    }
    case Meaning::took_s:
      return duration(6);
    case Meaning::took_ms:
      return duration(3);
    case Meaning::took_us:
      return duration(0);
    case Meaning::took_ns: {
      const auto nanos = scaled_number(cell, 0);
      if (!nanos || *nanos / 1000 > static_cast<std::uint64_t>(kLongestAnswer.count())) return "its duration is none";
      request.took += Duration(static_cast<std::int64_t>(*nanos / 1000));
      draft.has_took = true;
      return nullptr;
    }
    case Meaning::waited_ms: {
      const auto micros = scaled_number(cell, 3);
      if (!micros || *micros > static_cast<std::uint64_t>(kLongestAnswer.count())) return "its duration is none";
      draft.waited += *micros;
      return nullptr;
    }
    case Meaning::address:
      if (cell.starts_with("unix:")) return nullptr;
      if (!read_address(cell, request.address)) return "its client is no IP address";
      draft.has_address = true;
      return nullptr;
    case Meaning::address_port:
      // The colons of IPv6 have no brackets around them.
      if (!read_address(cell.substr(0, cell.rfind(':')), request.address)) return "its client is no IP address";
      draft.has_address = true;
      return nullptr;
    case Meaning::forwarded_for:
      draft.forwarded_for = cell;
      draft.forwarded_id = part.id;
      return nullptr;
    case Meaning::method:
      if (!http::is_token(cell)) return "its method is none";
      request.method = cell;
      return nullptr;
    case Meaning::host:
      if (request.host.empty()) request.host = cell;
      return nullptr;
    case Meaning::target:
      draft.target(cell);
      return nullptr;
    case Meaning::path:
      if (request.path.empty()) request.path = cell;
      return nullptr;
    case Meaning::query:
      if (request.query.empty()) request.query = cell;
      return nullptr;
    case Meaning::request: {
      const auto blank = cell.find(' ');
      if (blank == cell.npos || untold(cell.substr(0, blank)) || !http::is_token(cell.substr(0, blank))) {
        draft.no_request = true;  // what a scanner or a client of TLS sent instead of a request
        return nullptr;
      }
      request.method = cell.substr(0, blank);
      draft.target(without_version(cell.substr(blank + 1)));
      return nullptr;
    }
    case Meaning::scheme:
      request.tls = has_tls(cell);
      return nullptr;
    case Meaning::tls:
      request.tls = true;
      return nullptr;
    case Meaning::status: {
      const auto status = whole_number(cell);
      if (status == 0U || cell == "-1") return nullptr;  // no answer was sent
      if (!status || *status < 100 || *status > 599) return "its status is none";
      request.status = *status < 200 ? 200 : static_cast<unsigned>(*status);  // of a tunnel: 101
      draft.has_status = true;
      return nullptr;
    }
    case Meaning::bytes:
    case Meaning::request_bytes: {
      const auto bytes = whole_number(cell);
      if (!bytes || *bytes > kMaxBytes) return "its size is none, or above 1 TiB";
      if (part.meaning == Meaning::request_bytes)
        request.request_bytes = *bytes;
      else if (!std::exchange(draft.has_bytes, true))
        request.bytes = *bytes;
      return nullptr;
    }
    case Meaning::server:
      draft.answered = draft.answered || (cell != "<NOSRV>" && cell != "0");
      return nullptr;
    case Meaning::ended_by:
      draft.answered = cell == "upstream";
      draft.refused = refused_by_gateway(cell);
      return nullptr;
    case Meaning::field:
      draft.has_user_agent = draft.has_user_agent || part.id == http::Known::user_agent;
      block.fields.push_back({part.id, part.text, cell});
      return nullptr;
    case Meaning::kind:
      draft.no_request = cell != part.text;
      return nullptr;
    case Meaning::fields:
    case Meaning::nothing:
      return nullptr;
  }
  return nullptr;
}

const char* LineReader::finish(Draft& draft, RequestBlock& block, MissingParts& missing) {
  auto& request = draft.request;
  if (!draft.has_began && !draft.has_ended) return "it has no time";
  if (request.path.empty()) {
    draft.no_request = has_path_;  // a connection that ended before its request was read
    return "it has no path";
  }
  request.began = draft.has_began ? draft.began : draft.ended - request.took;
  request.written = draft.has_ended ? draft.ended : draft.began + request.took;
  const auto fraction = draft.has_began ? began_.fraction() : draft.ended_fraction;
  request.took -= std::min(request.took, Duration(static_cast<std::int64_t>(draft.waited)));
  // The query of a part of its own may come without its mark.
  if (!request.query.empty() && request.query.front() != '?') {
    if (request.query.data() == draft.line) return "it begins with its query";
    // Before it stands a quote or a blank that nobody needs any more.
    block.bytes[static_cast<std::size_t>(request.query.data() - block.bytes.data()) - 1] = '?';
    request.query = {request.query.data() - 1, request.query.size() + 1};
  }
  if (!draft.forwarded_for.empty()) {
    auto sent = draft.forwarded_for;
    if (!draft.has_address) {
      const auto comma = sent.rfind(',');
      const auto last = without_padding(comma == sent.npos ? sent : sent.substr(comma + 1));
      draft.has_address = read_address(last, request.address);
      if (draft.has_address) sent = comma == sent.npos ? std::string_view() : sent.substr(0, comma);
    }
    if (!sent.empty()) block.fields.push_back({draft.forwarded_id, "X-Forwarded-For", sent});
  }
  for (std::size_t i = 0; i < cells_.fields_count; ++i) {
    auto field = cells_.fields[i];
    field.id = http::known_field(field.name);
    // What frames a message is told apart, and what the other gateway hid has no use.
    if (field.id == http::Known::content_length || field.id == http::Known::transfer_encoding ||
        field.value == "REDACTED" || !http::is_token(field.name))
      continue;
    if (field.id == http::Known::host) {
      if (request.host.empty()) request.host = field.value;
      continue;
    }
    draft.has_user_agent = draft.has_user_agent || field.id == http::Known::user_agent;
    block.fields.push_back(field);
  }
  request.fields = static_cast<std::uint32_t>(block.fields.size()) - request.fields_at;
  const bool refusal = draft.refused || ((request.status == 429 || request.status == 503) && !draft.answered);
  if (refusal) {
    request.assumed_ok = true;
    request.status = 200;
  }
  if (request.method.empty()) {
    request.method = "GET";
    missing.method = true;
  }
  if (request.host.empty()) missing.host = true;
  if (!draft.has_address) missing.address = true;
  if (!draft.has_status) missing.status = true;
  if (!draft.has_took) missing.took = true;
  if (!draft.has_user_agent) missing.user_agent = true;
  if (!fraction) missing.fraction = true;
  if (never_.query) missing.query = true;
  if (never_.scheme) missing.scheme = true;
  if (never_.request_size) missing.request_size = true;
  return nullptr;
}

}  // namespace headgate::access_logs
