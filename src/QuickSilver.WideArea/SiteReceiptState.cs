using System.Text.Json.Serialization;

namespace QuickSilver.WideArea;

/// <summary>Whether a site holds a message.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SiteReceiptState>))]
public enum SiteReceiptState
{
    /// <summary>It is not known yet.</summary>
    Waiting,

    /// <summary>It is published there, and all members of the group's view there hold it.</summary>
    Held,

    /// <summary>The site cannot be reached, for longer than <see cref="SiteGatewayOptions.HoldTime"/>: the message is
    /// not kept for it.</summary>
    Unreachable,

    /// <summary>The site has taken the message, or may have, and does not say whether all members hold it: its gateway
    /// is of an earlier version, or began again meanwhile.</summary>
    Unknown,
}
