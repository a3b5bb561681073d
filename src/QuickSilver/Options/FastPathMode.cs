using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Whether a node uses the faster socket calls of the operating system.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<FastPathMode>))]
public enum FastPathMode
{
    /// <summary>Uses those that a probe at start finds working: segmentation and coalescing offload on Linux.</summary>
    Auto,

    /// <summary>Uses none: one datagram per system call on every platform.</summary>
    Off,
}
