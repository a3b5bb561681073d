using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Runs;

/// <summary>Addresses in files of runs: an IPv4 address is a number, an IPv6 address 32 hexadecimal digits.</summary>
internal sealed class NetAddressJsonConverter : JsonConverter<NetAddress>
{
    private const int HalfDigits = 16;

    /// <inheritdoc/>
    public override NetAddress Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType == JsonTokenType.Number && reader.TryGetUInt32(out uint number)) return number;
        string text = reader.TokenType == JsonTokenType.String ? reader.GetString()! : "";
        bool isWhole = text.Length == 2 * HalfDigits;
        if (isWhole && TryRead(text[..HalfDigits], out ulong high) && TryRead(text[HalfDigits..], out ulong low))
            return new NetAddress(high, low);
        throw new JsonException("an address is a number, or 32 hexadecimal digits");
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, NetAddress value, JsonSerializerOptions options)
    {
        if (value.IsIPv6)
            writer.WriteStringValue(string.Create(CultureInfo.InvariantCulture, $"{value.High:x16}{value.Low:x16}"));
        else writer.WriteNumberValue(value.IPv4);
    }

    private static bool TryRead(string digits, out ulong half) =>
        ulong.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out half);
}
