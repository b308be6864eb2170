#pragma once
// What the writers of access lines share: bounds of texts, values, and the members of a JSON object.

#include "access_line.hpp"
#include "words.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/text_cursor.hpp"
#include "headgate/core/utf8.hpp"
#include "headgate/observe/access_fields.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/key_id.hpp"

#include <algorithm>
#include <array>

namespace headgate::observe {

/// How many bytes of texts from the caller are logged. A byte may need six when escaped.
inline constexpr std::size_t kMaxPath = 4096;
inline constexpr std::size_t kMaxAgent = 1024;
inline constexpr std::size_t kMaxWord = 512;
inline constexpr std::size_t kMaxQuery = 1024;
inline constexpr std::size_t kMaxNamed = 256;      // of a field that the configuration names
inline constexpr std::size_t kMaxAllNamed = 2048;  // of all of them
inline constexpr std::string_view kEllipsis = "...";

inline constexpr std::string_view http_version(unsigned version) noexcept {
  return version == 10 ? "1.0" : version == 20 ? "2.0" : "1.1";
}

inline std::uint64_t count_of(Duration duration) noexcept {
  return static_cast<std::uint64_t>(duration.count() > 0 ? duration.count() : 0);
}
inline std::uint64_t count_of(std::int64_t number) noexcept {
  return static_cast<std::uint64_t>(number > 0 ? number : 0);
}
inline std::uint64_t seconds_up(Duration duration) noexcept { return (count_of(duration) + 999'999) / 1'000'000; }

inline void write_address(TextCursor& out, const boost::asio::ip::address& address) {
  if (!address.is_v4()) return out.text(address.to_string());
  const auto bytes = address.to_v4().to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out.character('.');
    out.number(bytes[i]);
  }
}

/// The logged part of a text from the caller.
inline void write_told(TextCursor& out, std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return write_json_text(out, text);
  write_json_text(out, whole_characters(text, most));
  out.text(kEllipsis);
}

/// Calls write(word, value, most) for each field that the configuration names: at most so many bytes of its value.
template <class Write>
void each_named(const AccessRecord& record, Write&& write) {
  auto left = kMaxAllNamed;
  for (const auto& [word, value] : record.fields) {
    const auto most = std::min(kMaxNamed, left);
    write(word, value, most);
    left -= std::min(value.size(), most);
  }
}

/// Those fields as members of an object, whose names begin so.
inline void write_named(TextCursor& out, std::string_view beginning, const AccessRecord& record) {
  each_named(record, [&](std::string_view word, std::string_view value, std::size_t most) {
    out.word(",\"");
    out.text(beginning);
    write_json_text(out, word);
    out.word("\":\"");
    write_told(out, value, most);
    out.character('"');
  });
}

// The lines as access_line.hpp has them.
void write_json_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                     std::uint64_t dropped);
void write_ecs_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                    std::uint64_t dropped);
void write_text_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                     std::uint64_t dropped, Coloured coloured);
void write_combined_line(TextCursor& out, const AccessRecord& record, Instant at);

/// The name of a member with its punctuation: `,"name":`.
template <std::size_t size>
struct MemberName {
  std::array<char, size + 3> text{};
  consteval MemberName(const char (&name)[size]) {  // NOLINT(google-explicit-constructor): it is one
    auto* at = text.data();
    *at++ = ',';
    *at++ = '"';
    at = std::copy_n(name, size - 1, at);
    *at++ = '"';
    *at = ':';
  }
  constexpr std::string_view name() const noexcept { return {text.data() + 2, size - 1}; }
};

/// All fields of the table, with its names for `json`.
struct AllFields {
  template <MemberName name>
  constexpr bool has() const noexcept {
    static_assert(access_field(name.name()), "a name that the table of fields lacks");
    return true;
  }
};
/// Those that the configuration names.
struct ChosenFields {
  AccessFieldSet set;
  template <MemberName name>
  constexpr bool has() const noexcept {
    return (set >> *access_field(name.name()) & 1) != 0;
  }
};
/// Members that are always there, under any name.
struct AnyNames {
  template <MemberName name>
  constexpr bool has() const noexcept {
    return true;
  }
};

/// The members of a JSON object, each with a comma before it; whoever writes the object replaces the first one.
template <class Fields>
class Members {
 public:
  Members(TextCursor& out, Fields fields) noexcept : out_(out), fields_(fields) {}

  /// Whether the member is wanted.
  template <MemberName name>
  bool has() const noexcept {
    return fields_.template has<name>();
  }
  template <MemberName name>
  void text(std::string_view value, std::size_t most = kMaxWord) noexcept {
    if (!has<name>()) return;
    begin<name>();
    out_.character('"');
    write_told(out_, value, most);
    out_.character('"');
  }
  /// A text of our own, which is short and needs no escape.
  template <MemberName name>
  void own(std::string_view value) noexcept {
    if (!has<name>()) return;
    begin<name>();
    out_.character('"');
    out_.text(value);
    out_.character('"');
  }
  /// Writes nothing if it is empty.
  template <MemberName name>
  void some(std::string_view value) noexcept {
    if (!value.empty()) text<name>(value);
  }
  template <MemberName name>
  void number(std::uint64_t value) noexcept {
    if (!has<name>()) return;
    begin<name>();
    out_.number(value);
  }
  template <MemberName name>
  void thousandths(std::uint64_t value) noexcept {
    if (!has<name>()) return;
    begin<name>();
    write_thousandths(out_, value);
  }
  template <MemberName name>
  void time(Instant at) noexcept {
    if (!has<name>()) return;
    begin<name>();
    out_.character('"');
    write_time(out_, at);
    out_.character('"');
  }
  template <MemberName name>
  void address(const boost::asio::ip::address& value) {
    if (!has<name>()) return;
    begin<name>();
    out_.character('"');
    write_address(out_, value);
    out_.character('"');
  }

 private:
  template <MemberName name>
  void begin() noexcept {
    std::memcpy(out_.at(), name.text.data(), name.text.size());
    out_.at(out_.at() + name.text.size());
  }

  TextCursor& out_;
  Fields fields_;
};

}  // namespace headgate::observe
