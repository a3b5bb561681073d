using System.Text.Json.Serialization;

namespace QuickSilver.Monitoring;

/// <summary>JSON of snapshots, by generated code: no reflection, fit for trimming and compilation ahead of time.
/// Members with the default of their type are left out. A member that a reader does not know is skipped.</summary>
[JsonSourceGenerationOptions(
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault, MaxDepth = SnapshotLimits.Depth,
    AllowDuplicateProperties = false)]
[JsonSerializable(typeof(NodeSnapshot))]
internal sealed partial class SnapshotJson : JsonSerializerContext;
