#include "headgate/translate/translate.hpp"

#include "draft/accept.hpp"
#include "draft/json.hpp"
#include "draft/precedence.hpp"
#include "products.hpp"
#include "unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <tuple>

namespace headgate::translate {
namespace {

constexpr std::array kProducts{Product::nginx,  Product::ingress, Product::kong,    Product::haproxy,
                               Product::spring, Product::traefik, Product::litellm, Product::ratelimit};

constexpr const char* kKinds =
    "headgate import reads nginx, HAProxy, Kong, Kubernetes Ingress, Spring Cloud Gateway, Traefik, LiteLLM and "
    "Envoy's "
    "rate limit service; --from says which";

/// The main files of products. If a folder has one of them, no other file of the folder is read, except those that it
/// includes.
const std::vector<std::string> kMainFiles = {"nginx.conf", "haproxy.cfg", "kong.yml", "kong.yaml"};

std::vector<std::string> inputs_of(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return {path};
  for (const auto& name : kMainFiles) {
    const auto file = (std::filesystem::path(path) / name).string();
    if (std::filesystem::is_regular_file(file, unknown)) return {file};
  }
  auto out = files_in(path, {".conf", ".cfg", ".yml", ".yaml", ".properties"});
  if (out.empty())
    throw Unreadable({path, 0, 0}, "no file of this folder ends in .conf, .cfg, .yml, .yaml or .properties");
  return out;
}

/// Returns those of the files that belong to the product. If no product is given, takes the first one that is
/// recognised, and stores it in `product`.
std::vector<ReadFile> files_of(std::vector<ReadFile> all, std::optional<Product>& product, Draft& draft) {
  std::vector<ReadFile> out;
  std::vector<std::string> unknown;
  if (product && all.size() == 1) return all;
  for (auto& file : all) {
    const auto found = product_in(file);
    if (!product) product = found;
    if (found && found == product)
      out.push_back(std::move(file));
    else if (found)
      draft.say(
          Matter::lost, {file.name, 0, 0}, file.name,
          "it is of " + std::string(to_text(*found)) + ", and other files are of " + std::string(to_text(*product)));
    else
      unknown.push_back(file.name);
  }
  // The rate limit service reads every file of its folder.
  for (const auto& name : unknown)
    draft.say(product == Product::ratelimit ? Matter::lost : Matter::aside, {name, 0, 0}, name,
              "it belongs to no known product");
  return out;
}

/// Reports what a folder of the rate limit service has besides the files that were read.
void say_of_unread(const std::string& path, const std::vector<std::string>& read, Draft& draft) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return;
  for (std::filesystem::directory_iterator each(path, unknown), end; !unknown && each != end; each.increment(unknown)) {
    const auto name = each->path().string();
    if (each->path().filename().string().starts_with('.') || std::ranges::find(read, name) != read.end()) continue;
    draft.say(Matter::lost, {name, 0, 0}, name, "the service reads all files here, and headgate import those in .yaml");
  }
}

void take(Product product, const std::vector<ReadFile>& inputs, SourceFiles& files, Draft& draft) {
  switch (product) {
    case Product::nginx:
      return take_nginx(inputs, files, draft);
    case Product::ingress:
      return take_ingress(inputs, draft);
    case Product::kong:
      return take_kong(inputs, draft);
    case Product::haproxy:
      return take_haproxy(inputs, draft);
    case Product::spring:
      return take_spring(inputs, draft);
    case Product::traefik:
      return take_traefik(inputs, draft);
    case Product::litellm:
      return take_litellm(inputs, draft);
    case Product::ratelimit:
      return take_ratelimit(inputs, draft);
  }
}

/// Sorts by the order of the files and then by line.
void sort_by_place(std::vector<Remark>& remarks, const std::vector<std::string>& files) {
  std::map<std::string, std::size_t> order;
  for (std::size_t i = 0; i < files.size(); ++i) order.emplace(files[i], i);
  const auto place = [&](const Remark& remark) {
    const auto found = order.find(remark.spot.file);
    return std::tuple(found == order.end() ? files.size() : found->second, remark.spot.line, remark.spot.column);
  };
  std::stable_sort(remarks.begin(), remarks.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

/// Collects the remarks of all parts of a draft.
std::vector<Remark> remarks_of(const Draft& draft, const std::vector<std::string>& files) {
  std::vector<Remark> out = draft.remarks;
  const auto add = [&](const DraftEntry& entry) { out.insert(out.end(), entry.remarks.begin(), entry.remarks.end()); };
  for (const auto* entry :
       {&draft.process, &draft.identity, &draft.timeouts, &draft.bounds, &draft.redis, &draft.all_routes})
    add(*entry);
  for (const auto* all : {&draft.listeners, &draft.upstreams, &draft.limits, &draft.decide, &draft.routes})
    std::for_each(all->begin(), all->end(), add);
  sort_by_place(out, files);
  return out;
}

std::string_view full_name(Product product) {
  constexpr std::array<std::string_view, kProducts.size()> kNames{"nginx",
                                                                  "ingress-nginx",
                                                                  "Kong",
                                                                  "HAProxy",
                                                                  "Spring Cloud Gateway",
                                                                  "Traefik",
                                                                  "LiteLLM",
                                                                  "Envoy's rate limit service"};
  return kNames[static_cast<std::size_t>(product)];
}

}  // namespace

std::string_view to_text(Product product) noexcept {
  constexpr std::array<std::string_view, kProducts.size()> kNames{"nginx",  "ingress", "kong",    "haproxy",
                                                                  "spring", "traefik", "litellm", "ratelimit"};
  return kNames[static_cast<std::size_t>(product)];
}

std::span<const Product> all_products() noexcept { return kProducts; }

std::optional<Product> product_of(std::string_view name) noexcept {
  for (const auto product : kProducts)
    if (to_text(product) == name) return product;
  return std::nullopt;
}

std::string to_text(const Remark& remark) {
  constexpr std::array<std::string_view, 4> kMatters{"not translated", "differs", "left out", "closed"};
  std::string out;
  if (!remark.spot.file.empty()) {
    out += one_line(remark.spot.file, 1000);
    if (remark.spot.line > 0) out += ':' + std::to_string(remark.spot.line);
    if (remark.spot.column > 0) out += ':' + std::to_string(remark.spot.column);
    out += ": ";
  }
  out.append(kMatters[static_cast<std::size_t>(remark.matter)]).append(": ").append(one_line(remark.what));
  if (!remark.why.empty()) out += ": " + one_line(remark.why, 400);
  if (const auto key = lacking_key(remark); !key.empty()) out += " (no key \"" + std::string(key) + "\")";
  return out;
}

bool Translated::complete() const noexcept {
  return std::none_of(remarks.begin(), remarks.end(),
                      [](const auto& each) { return each.matter == Matter::lost || each.matter == Matter::closed; });
}

Result<Translated, Untranslatable> translate(const std::string& path, std::optional<Product> product) {
  using Answer = Result<Translated, Untranslatable>;
  try {
    SourceFiles files;
    Draft draft;
    std::vector<ReadFile> all;
    for (const auto& name : inputs_of(path)) all.push_back({name == "-" ? "<stdin>" : name, files.read(name)});
    const bool found = !product.has_value();
    const auto inputs = files_of(std::move(all), product, draft);
    if (inputs.empty() || !product)
      throw Unreadable({path, 0, 0}, "this is the configuration of no known product", kKinds);
    if (*product == Product::ratelimit) say_of_unread(path, files.names(), draft);
    take(*product, inputs, files, draft);
    keep_precedence(draft);
    drop_repeated_routes(draft);
    Translated out{.product = *product, .found = found, .text = {}, .remarks = {}, .files = files.names()};
    sort_by_place(draft.remarks, out.files);
    out.text = accepted(
        draft, "From " + std::string(full_name(*product)) + ", " + one_line(path, 300) + ", by headgate import.");
    out.remarks = remarks_of(draft, out.files);
    return Answer(boost::system::in_place_value, std::move(out));
  } catch (const Unreadable& failure) {
    return Answer(boost::system::in_place_error, failure.why());
  }
}

}  // namespace headgate::translate
