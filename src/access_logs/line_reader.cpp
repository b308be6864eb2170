#include "line_reader.hpp"

#include "csv_splitter.hpp"
#include "json_splitter.hpp"
#include "text_splitter.hpp"

#include "headgate/http/fields.hpp"

#include <algorithm>
#include <utility>

namespace headgate::access_logs {

bool LineParts::add(std::string_view name, Meaning meaning, std::string_view text) {
  if (all.size() == LineCells::kMax) return false;
  auto& part = all.emplace_back(Part{std::string(name), meaning, std::string(text)});
  part.id = http::known_field(part.text);
  return true;
}

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

std::vector<std::string> LineReader::names() const {
  std::vector<std::string> out;
  for (const auto& part : parts_->all) out.push_back(part.name);
  return out;
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
  why_ = splitter_->split(begin, end, cells_);
  if (why_ != nullptr) return Outcome::unread;
  if (parts_known_ != parts_->all.size()) know_parts();
  RequestDraft draft(begin, block, moments_);
  for (const auto& [part, cell] : used_) {
    why_ = draft.take(*part, *cell);
    if (why_ != nullptr || draft.no_request()) break;
  }
  if (why_ == nullptr && !draft.no_request()) {
    draft.take_fields({cells_.fields.data(), cells_.fields_count});
    why_ = draft.finish(missing);
  }
  told_ = draft.told();
  if (why_ != nullptr || draft.no_request()) {
    draft.undo();
    if (draft.untold_call()) return Outcome::untold_call;
    return why_ == nullptr || (draft.no_request() && has_path_) ? Outcome::no_request : Outcome::unread;
  }
  missing.query = missing.query || never_.query;
  missing.scheme = missing.scheme || never_.scheme;
  missing.request_size = missing.request_size || never_.request_size;
  for (const int part : value_parts_) {
    const auto value = part < 0 ? std::string_view() : cells_.at[static_cast<std::size_t>(part)];
    block.values.push_back(untold(value) ? std::string_view() : value);
  }
  block.requests.push_back(draft.request());
  return Outcome::request;
}

}  // namespace headgate::access_logs
