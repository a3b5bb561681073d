using System.Text.Json.Serialization;

namespace QuickSilver.Dashboard.Json;

/// <summary>All that browsers get, by source generation. The encoder is the default one, which escapes what HTML gives
/// a meaning.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true)]
[JsonSerializable(typeof(FrameView))]
[JsonSerializable(typeof(ClusterView))]
[JsonSerializable(typeof(Page<NodeRow>))]
[JsonSerializable(typeof(Page<GroupRow>))]
[JsonSerializable(typeof(NodeView))]
[JsonSerializable(typeof(GroupReport))]
[JsonSerializable(typeof(IReadOnlyList<ClusterPoint>))]
[JsonSerializable(typeof(Problem))]
[JsonSerializable(typeof(Trouble))]
internal sealed partial class DashboardJson : JsonSerializerContext;
