using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;

namespace QuickSilver.Testing.Runs;

/// <summary>JSON of runs, by generated code. Files hold only what differs from the defaults, so they stay short, and
/// stay readable when settings are added.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true,
    WriteIndented = true,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    AllowOutOfOrderMetadataProperties = true,
    Converters = [typeof(NetAddressJsonConverter)])]
[JsonSerializable(typeof(SavedRun))]
internal sealed partial class RunJson : JsonSerializerContext
{
    private static readonly Lazy<JsonObject> Defaults = new(() => ToNode(new SavedRun()));

    /// <summary>A run as text.</summary>
    public static string Write(SavedRun run)
    {
        JsonObject node = ToNode(run);
        Prune(node, Defaults.Value);
        return node.ToJsonString(Default.Options) + "\n";
    }

    /// <summary>A run from its text.</summary>
    /// <exception cref="JsonException">The text is not that of a run: it says in which line.</exception>
    public static SavedRun Read(string text)
    {
        // The text itself, too: what is read below has no lines any more.
        _ = JsonSerializer.Deserialize(text, Default.SavedRun);
        if (JsonNode.Parse(text) is not JsonObject node) throw new JsonException("a run is a JSON object");
        Complete(node, Defaults.Value);
        return node.Deserialize(Default.SavedRun) ?? throw new JsonException("a run is not null");
    }

    private static JsonObject ToNode(SavedRun run) =>
        (JsonObject)JsonSerializer.SerializeToNode(run, Default.SavedRun)!;

    private static void Prune(JsonObject node, JsonObject defaults)
    {
        foreach ((string name, JsonNode? usual) in defaults)
        {
            if (!node.TryGetPropertyValue(name, out JsonNode? value)) continue;
            if (JsonNode.DeepEquals(value, usual)) node.Remove(name);
            else if (value is JsonObject inner && usual is JsonObject innerUsual) Prune(inner, innerUsual);
        }
    }

    // Generated code gives properties that are missing the default of their type, not that of the record; so nothing is
    // left missing.
    private static void Complete(JsonObject node, JsonObject defaults)
    {
        foreach ((string name, JsonNode? usual) in defaults)
        {
            if (!node.TryGetPropertyValue(name, out JsonNode? value)) node.Add(name, usual?.DeepClone());
            else if (value is JsonObject inner && usual is JsonObject innerUsual) Complete(inner, innerUsual);
        }
    }
}
