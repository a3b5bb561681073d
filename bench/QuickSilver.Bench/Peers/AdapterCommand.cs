using System.Globalization;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>An order as an adapter's command line.</summary>
internal static class AdapterCommand
{
    /// <summary>The words after the program's path: the role, then an option and its value for each thing to
    /// know.</summary>
    public static IReadOnlyList<string> Command(this RoleOrder order, bool isTuned) =>
    [
        order.Role == RoleKind.Sender ? "sender" : "receiver",
        "--name", order.Name,
        "--number", Text(order.Number),
        "--receivers", Text(order.Receivers),
        "--size", Text(order.Size),
        "--warmup", Text(order.WarmUpSeconds),
        "--seconds", Text(order.MeasuredSeconds),
        "--rate", Text(order.Rate),
        "--address", order.Address,
        "--server", order.ServerAddress,
        "--port", Text(order.TcpPort),
        "--group", order.RawGroup,
        "--feedback-address", order.FeedbackAddress,
        "--feedback-port", Text(order.FeedbackPort),
        "--tuned", isTuned ? "1" : "0",
    ];

    private static string Text(IFormattable value) => value.ToString(null, CultureInfo.InvariantCulture);
}
