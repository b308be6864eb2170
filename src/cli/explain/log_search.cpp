#include "log_search.hpp"

#include "headgate/observe/access_fields.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

namespace headgate::cli {
namespace {

using Record = nlohmann::ordered_json;

constexpr std::string_view kLabels = "labels.";

/// Returns the record with the names and units of the format `json`; unknown records are unchanged.
Record as_json_format(Record record) {
  if (!record.contains("ecs.version")) return record;
  Record out;
  for (const auto& field : observe::kAccessFields)
    if (const auto at = record.find(field.ecs); at != record.end()) out[std::string(field.name)] = *at;
  for (const auto& [name, value] : record.items())
    if (name.starts_with(kLabels)) out[name] = value;
  if (const auto ms = out.find("ms"); ms != out.end() && ms->is_number())
    *ms = ms->get<double>() / 1'000'000;  // converted from nanoseconds
  if (const auto proto = out.find("proto"); proto != out.end() && proto->is_string())
    *proto = "HTTP/" + proto->get<std::string>();
  for (const auto& field : observe::kAccessFields) {
    if (field.empty != observe::Empty::left_out_in_ecs || out.contains(field.name)) continue;
    const bool text = std::holds_alternative<std::string_view observe::AccessRecord::*>(field.value);
    out[std::string(field.name)] = text ? Record("") : Record(0);
  }
  return out;
}

bool contains(std::string_view text, std::string_view part) noexcept {
  return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

}  // namespace

LogSearch::LogSearch(std::string request_id)
    : id_(std::move(request_id)), id_as_text_(" id=" + id_), id_in_quotes_('"' + id_ + '"') {}

void LogSearch::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    if (begun_.empty() && !too_long_ && end != bytes.npos && piece.size() <= kLongest) {
      take_line(piece);
    } else {
      too_long_ = too_long_ || begun_.size() + piece.size() > kLongest;
      if (too_long_)
        begun_.clear();
      else
        begun_ += piece;
      if (end != bytes.npos) end_file();
    }
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  }
}

void LogSearch::end_file() {
  if (std::exchange(too_long_, false)) {
    ++counts_.lines;
    ++counts_.unreadable;
  } else {
    take_line(begun_);
  }
  begun_.clear();
}

void LogSearch::take_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty()) return;
  ++counts_.lines;
  if (line.front() != '{' || line.back() != '}') {
    ++counts_.unreadable;
    if (line.ends_with(id_as_text_) || contains(line, id_as_text_ + ' ')) ++counts_.in_text;
    return;
  }
  if (counts_.named == 0) {
    if (contains(line, R"("request_id":)") || contains(line, R"("http.request.id":)"))
      ++counts_.named;
    else if (contains(line, R"("status":)") || contains(line, R"("event":"request")"))
      ++counts_.nameless;
  }
  if (contains(line, id_in_quotes_)) keep(line);
}

void LogSearch::keep(std::string_view line) {
  auto record = Record::parse(line, nullptr, false);
  if (!record.is_object()) {
    ++counts_.unreadable;
    return;
  }
  record = as_json_format(std::move(record));
  const auto event = record.value("event", Record("request"));
  const auto id = record.find("request_id");
  if (event != "request" || id == record.end() || *id != id_) return;
  if (std::find(kept_lines_.begin(), kept_lines_.end(), line) != kept_lines_.end()) return;
  if (found_.size() == kMax) {
    ++counts_.beyond;
    return;
  }
  kept_lines_.emplace_back(line);
  found_.push_back(std::move(record));
}

}  // namespace headgate::cli
