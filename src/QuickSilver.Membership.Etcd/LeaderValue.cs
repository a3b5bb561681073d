using System.Buffers;
using System.Text.Json;
using Google.Protobuf;
using Mvccpb;

namespace QuickSilver.Membership.Etcd;

/// <summary>The value of the key that names who serves: {"endpoint":"10.0.0.5:14999","term":12,"node":"a"}.</summary>
internal static class LeaderValue
{
    /// <summary>The value of a candidate.</summary>
    public static ByteString Write(MembershipCandidate candidate, long term)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartObject();
            writer.WriteString("endpoint", candidate.EndPoint);
            writer.WriteNumber("term", term);
            writer.WriteString("node", candidate.Node);
            writer.WriteEndObject();
        }
        return ByteString.CopyFrom(buffer.WrittenSpan);
    }

    /// <summary>Reads what a key holds.</summary>
    /// <exception cref="InvalidDataException">No election wrote it.</exception>
    public static MembershipLeader Read(KeyValue leader)
    {
        string key = leader.Key.ToStringUtf8();
        // It would stay for ever, whether its server lives or not.
        if (leader.Lease == 0)
            throw new InvalidDataException($"the key '{key}' has no lease, so no election wrote it: delete it");
        return TryRead(leader.Value)
            ?? throw new InvalidDataException($"the key '{key}' does not say who serves: delete it");
    }

    private static MembershipLeader? TryRead(ByteString value)
    {
        try
        {
            using var document = JsonDocument.Parse(value.Memory);
            JsonElement root = document.RootElement;
            return root.ValueKind == JsonValueKind.Object
                && root.TryGetProperty("endpoint", out JsonElement endPoint)
                && endPoint.ValueKind == JsonValueKind.String
                && endPoint.GetString() is { Length: > 0 } place
                && root.TryGetProperty("term", out JsonElement number)
                && number.ValueKind == JsonValueKind.Number
                && number.TryGetInt64(out long term)
                && term is >= 1 and <= TermValue.Last
                ? new MembershipLeader(place, term)
                : null;
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Text that is no UTF-8 is the second kind.
            return null;
        }
    }
}
