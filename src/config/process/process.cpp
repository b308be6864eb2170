// Options of the whole process.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

namespace headgate::config {

void build_process(Build& build) {
  const Node* root = &build.root;
  Config& config = build.config;
  fill(root, root_section(), config);
  bool via = true;
  read(root, "via", via);
  config.gateway.via = via ? config.instance : std::string();
  config.log.instance = config.instance;
}

}  // namespace headgate::config
