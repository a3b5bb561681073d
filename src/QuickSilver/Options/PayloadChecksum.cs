using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Whether packets carry a checksum of their payload, beside UDP's own. Headers and control records always do.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PayloadChecksum>))]
public enum PayloadChecksum
{
    /// <summary>On, but off in loopback mode.</summary>
    Auto,

    /// <summary>Always.</summary>
    On,

    /// <summary>Never.</summary>
    Off,
}
