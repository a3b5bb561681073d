using System.Globalization;
using QuickSilver.Transport;

namespace QuickSilver.Cli.Doctor;

/// <summary>What this machine allows. Linux only; elsewhere nothing is known.</summary>
/// <param name="Limits">Limits of a process.</param>
/// <param name="MostReceiveBuffer">net.core.rmem_max; null if it is not known.</param>
/// <param name="ClockSource">What the kernel takes its time from; null if it is not known.</param>
internal sealed record MachineFacts(HostLimits Limits, long? MostReceiveBuffer, string? ClockSource)
{
    private const string ReceiveBufferFile = "/proc/sys/net/core/rmem_max";
    private const string ClockSourceFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

    /// <summary>Reads them.</summary>
    public static MachineFacts Read() => new(
        HostLimits.Read(),
        long.TryParse(Text(ReceiveBufferFile), NumberStyles.None, CultureInfo.InvariantCulture, out long most)
            ? most : null,
        Text(ClockSourceFile));

    private static string? Text(string file)
    {
        try
        {
            return File.Exists(file) ? File.ReadAllText(file).Trim() : null;
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
