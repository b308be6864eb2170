#pragma once
// The base64 of gRPC-Web's text form. The text is a stream of groups of four characters. Any group may be padded,
// because each piece of a message may be encoded on its own. Source: PROTOCOL-WEB.md of the gRPC project.

#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// Decodes text that arrives in pieces of any size. Lives as long as its body.
class WebTextDecoder {
 public:
  /// Appends the bytes of all complete groups to `out`. Returns false and stops decoding if the text is not base64.
  [[nodiscard]] bool decode(std::string_view text, std::string& out);
  /// Returns whether all groups so far are complete.
  bool whole() const noexcept { return have_ == 0; }

 private:
  unsigned bits_ = 0;
  unsigned have_ = 0;  ///< number of characters of the current group that have arrived, including padding
  unsigned padding_ = 0;
};

}  // namespace headgate::gateway
