using System.Net.Sockets;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>The result of an attempt to reach a membership server.</summary>
/// <param name="Socket">The connected socket; null after a failure.</param>
/// <param name="Stream">The secured stream over the socket; null without security.</param>
/// <param name="Failure">The reason of a failure; empty for none.</param>
/// <param name="IsVerdict">True when one side refused the other's key or certificate, or has none: the next attempt
/// comes to the same until somebody changes that.</param>
/// <param name="IsUsual">True for a verdict that needs nobody's attention.</param>
/// <param name="IsSilent">True when the other side accepted the connection and did not answer in time.</param>
internal readonly record struct Reached(
    Socket? Socket, Stream? Stream, string Failure, bool IsVerdict = false, bool IsUsual = false,
    bool IsSilent = false)
{
    /// <summary>Closes the connection.</summary>
    public async ValueTask CloseAsync()
    {
        if (Stream is not null) await Stream.DisposeAsync().ConfigureAwait(false);
        Socket?.Dispose();
    }

    /// <summary>A failed attempt.</summary>
    public static Reached Failed(string failure) => new(null, null, failure);

    /// <summary>Failed attempts at the addresses of one name.</summary>
    public static Reached AllOf(IReadOnlyList<Reached> failures) => new(
        null, null, string.Join("; ", failures.Select(static one => one.Failure)),
        IsVerdict: failures.Count > 0 && failures.All(static one => one.IsVerdict),
        IsSilent: failures.Any(static one => one.IsSilent));

    /// <summary>A failed handshake at a place.</summary>
    public static Reached Refused(string place, HandshakeException refusal) =>
        new(null, null, $"{place}: {refusal.Message}", refusal.IsVerdict);
}
