using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Whether the operating system's faster calls are used.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<FastPathMode>))]
public enum FastPathMode
{
    /// <summary>Where a probe at start succeeds: segmentation and coalescing offload on Linux.</summary>
    Auto,

    /// <summary>One datagram a call, everywhere.</summary>
    Off,
}
