// Everything public, but for the foreign backends (topos/backends/).
#pragma once

#include "topos/composites/activations.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/axes.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/emission/emit.hpp"
#include "topos/nn/adam.hpp"
#include "topos/nn/clip.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/nn/schedule.hpp"
#include "topos/nn/sgd.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"
