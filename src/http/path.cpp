#include "headgate/http/path.hpp"

#include <array>

namespace headgate::http {
namespace {

constexpr bool unreserved(unsigned char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Visible ASCII, less what RFC 3986 keeps out of a URI and some servers read as a slash or as an end.
constexpr bool sound(unsigned char c) noexcept {
  return c > 0x20 && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\' && c != '^' && c != '`' && c != '#';
}

constexpr std::array<bool, 256> table(bool (*rule)(unsigned char)) {
  std::array<bool, 256> out{};
  for (unsigned c = 0; c < 256; ++c) out[c] = rule(static_cast<unsigned char>(c));
  return out;
}
constexpr auto kSound = table(sound);

constexpr int hex(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Ends the segment that `out` now ends with: resolves "." and "..". `out` holds a path that begins with '/'. False for
/// "..;x", which some servers take for "..".
bool close_segment(std::string& out) {
  const auto slash = out.rfind('/');
  const std::string_view segment = std::string_view(out).substr(slash + 1);
  if (segment == ".") {
    out.resize(slash + 1);
  } else if (segment == "..") {
    const auto parent = slash == 0 ? 0 : out.rfind('/', slash - 1);
    out.resize(parent + 1);
  } else if (segment.starts_with(".;") || segment.starts_with("..;") || segment.starts_with(';')) {
    return false;
  }
  return true;
}

}  // namespace

bool sound_query(std::string_view query) noexcept {
  for (const char c : query) {
    if (!kSound[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

bool normalise_path(std::string_view raw, std::string& out) {
  out.clear();
  if (raw.empty() || raw.front() != '/') return false;
  bool dots = false;  // most paths have none to resolve
  for (std::size_t i = 0; i < raw.size(); ++i) {
    char c = raw[i];
    if (!kSound[static_cast<unsigned char>(c)]) return false;
    if (c == '%') {
      if (i + 2 >= raw.size()) return false;
      const int high = hex(raw[i + 1]), low = hex(raw[i + 2]);
      if (high < 0 || low < 0) return false;
      const auto byte = static_cast<unsigned char>(high * 16 + low);
      if (byte == 0) return false;  // the end of the path to a server written in C
      i += 2;
      if (!unreserved(byte)) {
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        out += '%';
        out += kDigits[static_cast<std::size_t>(high)];
        out += kDigits[static_cast<std::size_t>(low)];
        continue;
      }
      c = static_cast<char>(byte);
    } else if (c == '/') {
      if (dots && !close_segment(out)) return false;
      dots = false;
      if (out.empty() || out.back() != '/') out += '/';
      continue;
    }
    if ((c == '.' || c == ';') && out.back() == '/') dots = true;
    out += c;
  }
  return !dots || close_segment(out);
}

}  // namespace headgate::http
