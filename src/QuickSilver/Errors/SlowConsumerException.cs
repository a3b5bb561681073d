using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The application read too slowly, or kept its leases: the inbox was full under <see cref="OverflowPolicy.FailGroup"/>. Comes after
/// everything that was stored.</summary>
/// <param name="code">What went wrong.</param>
/// <param name="message">What went wrong, for people.</param>
/// <param name="inner">What caused it.</param>
[JsonConverter(typeof(FailureJsonConverter))]
public sealed class SlowConsumerException(ErrorCode code, string message, Exception? inner = null) : QuickSilverException(code, message, inner)
{
    /// <summary>The group that was left.</summary>
    public string GroupName { get; init; } = "";

    /// <summary>Unread messages when the inbox was full.</summary>
    public long Backlog { get; init; }

    /// <summary>Bytes of leases that had not been disposed of then: they take room in the inbox as unread messages do.</summary>
    public long LeasedBytes { get; init; }
}
