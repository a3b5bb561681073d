using System.Globalization;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>A row of a table: what is measured, and how QuickSilver is set up in it.</summary>
/// <param name="Kind">What is measured.</param>
/// <param name="Security">What protects QuickSilver.</param>
/// <param name="DatagramBytes">Bytes of QuickSilver's datagrams; 0: its own choice.</param>
internal readonly record struct TrafficVariant(
    Variant Kind, RunSecurity Security = RunSecurity.None, int DatagramBytes = 0)
{
    /// <summary>Whether it is a loop over sockets, which QuickSilver's settings do not reach.</summary>
    public bool IsRaw => Kind is Variant.RawSingle or Variant.RawTrains;

    /// <summary>The same without protection.</summary>
    public TrafficVariant Unsecured => this with { Security = RunSecurity.None };

    /// <summary>As reports call it.</summary>
    public string Text => Kind.Text()
        + (DatagramBytes > 0 ? string.Create(CultureInfo.InvariantCulture, $", {DatagramBytes} B datagrams") : "")
        + (Security == RunSecurity.Key ? ", secured" : "");

    /// <summary>At QuickSilver's own choices, not secured.</summary>
    public static implicit operator TrafficVariant(Variant kind) => new(kind);
}
