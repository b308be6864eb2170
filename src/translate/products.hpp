#pragma once
// One function for each product: it reads files that are of that kind, and fills a draft.

#include "draft/draft.hpp"
#include "reading/source_files.hpp"

#include <string>
#include <vector>

namespace headgate::translate {

/// A file that was read, or will be.
struct ReadFile {
  std::string name;
  std::string text;
};

// All throw Unreadable.
void take_nginx(const std::vector<ReadFile>& inputs, SourceFiles& files, Draft& draft);
void take_haproxy(const std::vector<ReadFile>& inputs, Draft& draft);
void take_kong(const std::vector<ReadFile>& inputs, Draft& draft);
void take_ingress(const std::vector<ReadFile>& inputs, Draft& draft);
void take_spring(const std::vector<ReadFile>& inputs, Draft& draft);
void take_traefik(const std::vector<ReadFile>& inputs, Draft& draft);

/// The product that a file is of, from its name and what it has.
std::optional<Product> product_in(const ReadFile& file);

}  // namespace headgate::translate
