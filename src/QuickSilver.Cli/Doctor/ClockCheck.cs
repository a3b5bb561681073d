using System.Globalization;

namespace QuickSilver.Cli.Doctor;

/// <summary>Whether the clocks of the nodes agree, and are cheap to read.</summary>
internal sealed class ClockCheck : ICheck
{
    private static readonly TimeSpan Most = TimeSpan.FromMilliseconds(250);

    // Reading these costs a system call or a device.
    private static readonly string[] SlowSources = ["xen", "hpet", "acpi_pm", "jiffies"];

    /// <inheritdoc/>
    public string Name => "clock";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        bool found = false;
        foreach (PeerReport peer in scene.Peers)
        {
            if (peer.ClockLead is not { } lead || lead.Duration() <= Most) continue;
            found = true;
            yield return Finding.Trouble(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The clock of {peer.Name} is {lead.TotalSeconds:+0.000;-0.000} s off that of this machine."),
                "Run NTP (chronyd, systemd-timesyncd) on both. Latencies between machines, certificates and times in "
                + "logs need it; order and delivery do not.");
        }
        if (scene.Machine.ClockSource is { } source && SlowSources.Contains(source))
        {
            found = true;
            yield return Finding.Note(
                $"The kernel's clock source is '{source}', which is slow to read.",
                "Use 'tsc' (or 'kvm-clock') if the machine has it: /sys/devices/system/clocksource.");
        }
        if (!found)
        {
            yield return scene.Peers.Count > 0
                ? Finding.Good($"The clocks of {PortCheck.Names(scene)} and of this machine agree.")
                : Finding.Note("No other node took part, so no clock was compared.", PortCheck.PeerHint(scene));
        }
    }
}
