#include "access_line.hpp"

#include "access_row.hpp"

#include <string>

namespace headgate::observe {
namespace {

struct AllFields {
  template <std::size_t at>
  static constexpr bool has() noexcept {
    return true;
  }
};
struct ChosenFields {
  AccessFieldSet set;
  template <std::size_t at>
  constexpr bool has() const noexcept {
    return (set >> at & 1) != 0;
  }
};

/// Writes a member with a comma before it. write_object() replaces the first of these commas with the opening brace.
template <LogFormat format, std::size_t at, class Fields>
void write_member(TextCursor& out, const AccessLine& line, Fields fields) {
  using Member = WrittenField<format, at>;
  if (!fields.template has<at>()) return;
  if constexpr (Member::kField.applies)
    if (!(*Member::kField.applies)(line.record)) return;
  const auto& value = Member::value(line);
  if constexpr (Member::kLeavesOutEmpty)
    if (is_empty(value)) return;
  out.word(Member::kBeginning);
  Member::write(out, value);
  if constexpr (!Member::kNumber) out.character('"');
}

/// Writes the rows of the table with the numbers `from + at`. The compiler unrolls the loop.
template <LogFormat format, std::size_t from, class Fields, std::size_t... at>
void write_members(TextCursor& out, const AccessLine& line, Fields fields, std::index_sequence<at...>) {
  (write_member<format, from + at>(out, line, fields), ...);
}

template <LogFormat format, std::size_t from, std::size_t to, class Fields>
void write_rows(TextCursor& out, const AccessLine& line, Fields fields) {
  write_members<format, from>(out, line, fields, std::make_index_sequence<to - from>());
}

/// Writes the members that only the format `ecs` has: "GET /path 200", and the kind of the event.
void write_kind(TextCursor& out, const AccessRecord& record) {
  out.word(",\"message\":\"");
  write_told(out, record.method.empty() ? std::string_view("-") : record.method, kMaxWord);
  out.character(' ');
  write_told(out, record.path.empty() ? std::string_view("-") : record.path, kMaxWord);
  out.character(' ');
  out.number(record.status);
  out.word(
      R"(","ecs.version":"8.11.0","service.name":"headgate","event.kind":"event","event.dataset":"headgate.access","event.outcome":")");
  const bool failed = record.status >= 400 || (!record.grpc_status.empty() && record.grpc_status != "OK");
  out.text(record.status == 0 ? "unknown" : failed ? "failure" : "success");
  out.character('"');
}

template <LogFormat format>
void write_callers(TextCursor& out, const AccessLine& line) {
  const auto& callers = line.record.callers;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    if (callers[i].empty()) continue;
    if constexpr (format == LogFormat::ecs) {
      std::string name = line.options.callers[i];
      std::replace(name.begin(), name.end(), '.', '_');  // Elasticsearch would turn a label with a dot into an object.
      out.word(",\"labels.");
      write_json_text(out, name);
    } else {
      out.word(",\"");
      write_json_text(out, line.options.callers[i]);
    }
    out.word("\":\"");
    write_told(out, callers[i], kMaxWord);
    out.character('"');
  }
}

template <LogFormat format>
void write_named(TextCursor& out, const AccessRecord& record) {
  each_named(record, [&](std::string_view word, std::string_view value, std::size_t most) {
    out.word(",\"");
    if constexpr (format == LogFormat::ecs) out.word("headgate.");
    write_json_text(out, word);
    out.word("\":\"");
    write_told(out, value, most);
    out.character('"');
  });
}

/// Writes a line as an object. In the format `ecs` it has the dotted names of version 8.11, which Elasticsearch and its
/// shippers read as nested objects.
template <LogFormat format, class Fields>
void write_object(TextCursor& out, const AccessLine& line, Fields fields) {
  constexpr auto kSource = *access_field("instance");
  char* const first = out.at();
  write_rows<format, 0, kSource>(out, line, fields);
  if constexpr (format == LogFormat::ecs) write_kind(out, line.record);
  write_rows<format, kSource, kLimitRows>(out, line, fields);
  if (!line.record.limit.empty()) write_rows<format, kLimitRows, kRowsAfterLimit>(out, line, fields);
  write_callers<format>(out, line);
  write_named<format>(out, line.record);
  write_rows<format, kRowsAfterLimit, kRows>(out, line, fields);
  if (out.at() == first) out.character('{');  // No chosen field applies, so there is no comma to replace.
  *first = '{';
  out.character('}');
}

/// Maximum number of bytes that a line has besides its rows: a Referer, the two texts of a message, and all constant
/// parts.
constexpr std::size_t kBesideRows = longest_text(kMaxAgent) + 2 * longest_text(kMaxWord) + 512;
/// Bytes of the constant part of a configured field.
constexpr std::size_t kAroundName = 16;

}  // namespace

std::size_t most_of(const LogOptions& options) noexcept {
  auto most = kLongestRows + kBesideRows;
  for (const auto& name : options.callers) most += kMaxJsonBytes * name.size() + kAroundName + longest_text(kMaxWord);
  return most;
}

std::size_t most_of(std::span<const std::pair<std::string_view, std::string_view>> fields) noexcept {
  std::size_t most = 0;
  for (const auto& [word, value] : fields)
    most += kMaxJsonBytes * word.size() + kAroundName + longest_text(std::min(value.size(), kMaxNamed));
  return most;
}

void write_line(TextCursor& out, const AccessLine& line, Coloured coloured) {
  switch (line.options.format) {
    case LogFormat::json:
      if (line.options.fields == kAllAccessFields) return write_object<LogFormat::json>(out, line, AllFields{});
      return write_object<LogFormat::json>(out, line, ChosenFields{line.options.fields});
    case LogFormat::text:
      return write_text_line(out, line, coloured);
    case LogFormat::combined:
      return write_combined_line(out, line);
    case LogFormat::ecs:
      return write_object<LogFormat::ecs>(out, line, AllFields{});
  }
}

}  // namespace headgate::observe
