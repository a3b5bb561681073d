using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Whether packets carry a checksum of their payload in addition to UDP's own. Headers and control records
/// always carry one.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PayloadChecksum>))]
public enum PayloadChecksum
{
    /// <summary>On, except in loopback mode.</summary>
    Auto,

    /// <summary>Every packet carries the checksum.</summary>
    On,

    /// <summary>No packet carries the checksum.</summary>
    Off,
}
