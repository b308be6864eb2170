#pragma once
// Another product's configuration as a headgate file. `headgate import` prints it.

#include "headgate/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

enum class Product : std::uint8_t { nginx, ingress, kong, haproxy, spring, traefik };

/// As the command line names it: "nginx".
std::string_view to_text(Product product) noexcept;
/// All of them, in the order of the enumeration.
std::span<const Product> all_products() noexcept;
std::optional<Product> product_of(std::string_view name) noexcept;

/// Where something stands in a file that was read.
struct Spot {
  std::string file;        ///< as it was named or included
  std::size_t line = 0;    ///< from 1; 0: the whole file
  std::size_t column = 0;  ///< from 1, in bytes; 0: the whole line
};

enum class Matter : std::uint8_t {
  lost,     ///< not translated, so that traffic is treated otherwise than before
  differs,  ///< translated; what it means differently here
  aside,    ///< not translated, and traffic is treated as before without it
  closed,   ///< not translated, and routes that it protects answer 503 until a person has decided
};

/// One thing to know about the translation.
struct Remark {
  Matter matter = Matter::lost;
  Spot spot;
  std::string what;  ///< as the file has it, short; not yet printable
  std::string why;   ///< a sentence without its dot
};

/// Something that another product has and headgate has not.
struct Lack {
  std::string_view key;  ///< that a file would have for it, if headgate had it; no key of the schema
  std::string_view why;  ///< how reasons of remarks begin that refuse because of it
};
std::span<const Lack> all_lacks() noexcept;
/// The key that headgate lacks to translate this; empty: it lacks none, or traffic is the same without it.
std::string_view lacking_key(const Remark& remark) noexcept;

/// `FILE:LINE:COLUMN: not translated: WHAT: WHY`, on one line and printable whatever the file has.
std::string to_text(const Remark& remark);

struct Translated {
  Product product = Product::nginx;
  bool found = true;               ///< the product was found from the files
  std::string text;                ///< the headgate file, with comments; config::load accepts it
  std::vector<Remark> remarks;     ///< in the order of their spots
  std::vector<std::string> files;  ///< all that were read
  /// Whether everything that matters for traffic was translated.
  bool complete() const noexcept;
};

/// Why there is no translation: a file that cannot be read, is of no known kind, or is broken.
struct Untranslatable {
  Spot spot;  ///< its file may be empty
  std::string message;
  std::string help;  ///< may be empty
};

/// Reads `path`, a file or a folder, and what its files include. Without `product` it finds the kind from what they
/// have. Reads at most 64 MiB in all. Throws nothing but std::bad_alloc.
Result<Translated, Untranslatable> translate(const std::string& path, std::optional<Product> product);

}  // namespace headgate::translate
