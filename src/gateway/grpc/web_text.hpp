#pragma once
// The base64 of gRPC-Web's text form: a stream of groups of four characters, any of which may be padded, for each piece
// of a message may be encoded by itself. Source: PROTOCOL-WEB.md of the project of gRPC.

#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// Decodes what arrives in pieces of any size. Lives as long as its body.
class WebTextDecoder {
 public:
  /// Appends the bytes of all groups that are whole to `out`. False: it is no base64; then nothing more is decoded.
  [[nodiscard]] bool decode(std::string_view text, std::string& out);
  /// Whether no group has begun.
  bool whole() const noexcept { return have_ == 0; }

 private:
  unsigned bits_ = 0;
  unsigned have_ = 0;  ///< characters of the group, padding included
  unsigned padding_ = 0;
};

}  // namespace headgate::gateway
