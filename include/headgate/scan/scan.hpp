#pragma once
// Reads bodies as they pass: finds the values at JSON pointers in JSON, in the events of a stream, in lines of JSON and
// in forms, without a copy of the body and without a tree.

#include "headgate/scan/pointer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace headgate::scan {

/// Maximum length of a decoded text that is kept, in bytes.
inline constexpr std::size_t kMaxText = 256;
/// Maximum depth of nested objects and arrays. A deeper document is malformed.
inline constexpr std::size_t kMaxDepth = 512;
/// Largest number that is reported; larger ones, and smaller ones than its negative, are saturated.
inline constexpr std::int64_t kMaxNumber = 1'000'000'000'000'000;
/// Least length of a string that can be a block, in decoded bytes.
inline constexpr std::size_t kMinBlock = 512;

/// The syntax of a body.
enum class Form : std::uint8_t {
  json,    ///< one document
  events,  ///< Server-Sent Events. The data of an event is a document if it begins with an object or an array; other
           ///< data, such as "[DONE]", is ignored.
  lines,   ///< a document on each line that is not blank
  form,    ///< application/x-www-form-urlencoded. A pointer with one step names a field, and each field is a text.
};

/// Returns the form for a Content-Type: JSON (also `+json`), `text/event-stream`, `application/x-ndjson`,
/// `application/ndjson`, `application/jsonl`, `application/x-jsonlines`, `application/jsonlines`, and forms. Empty for
/// others, and if the type names a charset in which ASCII characters can have other bytes.
std::optional<Form> form_of(std::string_view content_type) noexcept;

/// The result for one pointer.
struct Found {
  enum class Kind : std::uint8_t {
    absent,
    null,
    boolean,
    number,
    text,
    structure,  ///< an object or an array
  };
  Kind kind = Kind::absent;
  /// Readers may see another value here. A member or field on the way to the value occurred twice in one document, or
  /// under another spelling that some reader takes for the same name: in another case, or with U+0000 behind the name.
  /// Members that a "*" matches are not compared with each other.
  bool repeated = false;
  bool cut = false;         ///< the text was longer than kMaxText; `text` is its beginning
  bool truth = false;       ///< the value of a boolean
  std::int64_t number = 0;  ///< of a number: rounded up to a whole one and saturated; of Take::text: the summed length
  std::string_view text;    ///< the decoded text; valid until the next feed() or begin()
  /// The place of a text (with its quotes), number or null in a body of Form::json, and its number of bytes; both 0 for
  /// other values.
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};

/// A scan of one body after the other. The results do not depend on how a body is cut into pieces. Takes about 1.3 KiB,
/// and 300 bytes for each pointer; allocates in begin() only. Not thread-safe; movable.
class Scan {
 public:
  Scan();
  Scan(Scan&&) noexcept;
  Scan& operator=(Scan&&) noexcept;
  ~Scan();

  /// Starts a new body and forgets the results of the last one. `pointers` must outlive the scan of this body.
  void begin(const Pointers& pointers, Form form);
  /// Takes the next piece, of any size. Does nothing before begin().
  void feed(std::string_view bytes) noexcept;
  /// Says that the body is complete.
  void end() noexcept;

  /// Returns the result for an index of Pointers::add(): the value in the last document that has one other than null.
  /// The result can be read at any time, and is known as soon as the value has passed. Absent for an unknown index.
  const Found& found(std::size_t index) const noexcept;
  /// Returns whether a document was not JSON (RFC 8259, in UTF-8, without a byte order mark and lone surrogates), was
  /// nested deeper than kMaxDepth, or was followed by another one where only one may be. Of a form: whether it has an
  /// invalid escape in a name or a value that was read, invalid UTF-8 there, or a ";", which some readers take for "&".
  /// Incomplete documents are malformed after end().
  bool malformed() const noexcept;
  /// Returns the number of complete documents so far.
  std::uint64_t documents() const noexcept;
  /// Returns the decoded bytes of all string values so far, without names of members and without blocks.
  std::uint64_t text_bytes() const noexcept;
  /// Returns the number of blocks: string values of at least kMinBlock bytes that are base64 (RFC 4648, either
  /// alphabet, line breaks allowed), or a `data:` URL of base64. Forms have none.
  std::uint64_t blocks() const noexcept;
  /// Returns the number of elements of the last document if it is an array, such as a batch of JSON-RPC; else 0.
  std::uint64_t elements() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::scan
