module @topos {
  func.func @main() -> (tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2x1x2xf32>, tensor<2x3xf32>, tensor<1x1xf32>) {
    %v0 = stablehlo.constant dense<3.0> : tensor<f32>
    %v1 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %v2 = stablehlo.constant dense<7.0> : tensor<2x2xf32>
    %v3 = stablehlo.constant dense<0.1> : tensor<3xf32>
    %v4 = stablehlo.constant dense<5.0> : tensor<1xf32>
    %v5 = stablehlo.constant dense<0.0> : tensor<2xf32>
    %v6 = stablehlo.constant dense<-0.0> : tensor<2xf32>
    %v7 = stablehlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
    %v8 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %v9 = stablehlo.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
    %v10 = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
    %v11 = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
    %v12 = stablehlo.constant dense<[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf32>
    %v13 = stablehlo.constant dense<1.0> : tensor<1x1xf32>
    return %v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, %v13 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2x1x2xf32>, tensor<2x3xf32>, tensor<1x1xf32>
  }
}
