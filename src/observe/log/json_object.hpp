#pragma once
// A JSON object on one line, written field by field.

#include "words.hpp"

#include "headgate/core/json_text.hpp"

#include <string>
#include <string_view>

namespace headgate::observe {

/// The destructor closes the object. Names come from headgate and need no escaping.
class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  ~JsonObject() { out_ += '}'; }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  void text(std::string_view name, std::string_view value) {
    begin(name);
    out_ += '"';
    append_json_text(out_, value);
    out_ += '"';
  }
  /// Adds a value as it is, without quotes and escapes.
  void plain(std::string_view name, std::string_view value) {
    begin(name);
    out_ += value;
  }
  void number(std::string_view name, std::uint64_t value) {
    begin(name);
    append_number(out_, value);
  }
  void time(std::string_view name, Instant at) {
    begin(name);
    out_ += '"';
    append_time(out_, at);
    out_ += '"';
  }
  void thousandths(std::string_view name, std::uint64_t value) {
    begin(name);
    append_thousandths(out_, value);
  }

 private:
  void begin(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  std::string& out_;
};

}  // namespace headgate::observe
