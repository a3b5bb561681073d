using System.Text.Json.Serialization;

namespace QuickSilver.WideArea;

/// <summary>The state of a link, as one end sees it.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SiteLinkState>))]
public enum SiteLinkState
{
    /// <summary>The gateway has ended.</summary>
    Down,

    /// <summary>The other end is awaited.</summary>
    Connecting,

    /// <summary>Messages go.</summary>
    Up,

    /// <summary>It has failed, and rests for half a second before it connects again.</summary>
    Failed,
}
