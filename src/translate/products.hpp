#pragma once
// The importers: one function for each product, which reads the product's files and fills a draft.

#include "draft/draft.hpp"
#include "reading/source_files.hpp"

#include <string>
#include <vector>

namespace headgate::translate {

/// A file and its contents.
struct ReadFile {
  std::string name;
  std::string text;
};

// The functions below throw Unreadable.
void take_nginx(const std::vector<ReadFile>& inputs, SourceFiles& files, Draft& draft);
void take_haproxy(const std::vector<ReadFile>& inputs, Draft& draft);
void take_kong(const std::vector<ReadFile>& inputs, Draft& draft);
void take_ingress(const std::vector<ReadFile>& inputs, Draft& draft);
void take_spring(const std::vector<ReadFile>& inputs, Draft& draft);
void take_traefik(const std::vector<ReadFile>& inputs, Draft& draft);
void take_litellm(const std::vector<ReadFile>& inputs, Draft& draft);
void take_ratelimit(const std::vector<ReadFile>& inputs, Draft& draft);

/// Recognises the product of a file by its name and its contents. Returns nothing if the product is unknown.
std::optional<Product> product_in(const ReadFile& file);

}  // namespace headgate::translate
