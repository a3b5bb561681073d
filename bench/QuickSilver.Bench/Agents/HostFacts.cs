using System.ComponentModel;
using System.Net;
using System.Net.NetworkInformation;
using System.Text.Json.Serialization;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>What an agent says about its host, as seen from the card over which it was called.</summary>
internal sealed record HostFacts
{
    public required string Name { get; init; }

    public required MachineReport Machine { get; init; }

    /// <summary>The card's name.</summary>
    public required string Card { get; init; }

    /// <summary>IPv4 address that the roles use.</summary>
    public required string Address { get; init; }

    /// <summary>Whether only this machine reaches it.</summary>
    [JsonIgnore]
    public bool IsLoopback => IPAddress.IsLoopback(IPAddress.Parse(Address));

    public int Mtu { get; init; }

    /// <summary>Bits a second; 0 where the system does not say.</summary>
    public long BitsPerSecond { get; init; }

    public bool HasMulticast { get; init; }

    /// <summary>Segmentation and receive offloads that are on, as ethtool names them; null where it is not
    /// there.</summary>
    public string? Offloads { get; init; }

    /// <summary>Looks around.</summary>
    /// <param name="address">Of the card.</param>
    /// <exception cref="RunFailedException">No card has this address.</exception>
    public static HostFacts Here(IPAddress address)
    {
        NetworkInterface card = CardOf(address)
            ?? throw new RunFailedException($"no network interface of the host has the address {address}");
        return new HostFacts
        {
            Name = Environment.MachineName,
            Machine = MachineReport.Here(),
            Card = card.Name,
            Address = address.ToString(),
            Mtu = card.GetIPProperties().GetIPv4Properties().Mtu,
            BitsPerSecond = Math.Max(0, SpeedOf(card)),
            // The kernel loops multicast back on the loopback interface whatever the card says.
            HasMulticast = card.SupportsMulticast || IPAddress.IsLoopback(address),
            Offloads = OffloadsOf(card.Name),
        };
    }

    /// <summary>Bytes that the card with an address has sent; 0 if there is none any more.</summary>
    public static long SentBytes(string address) =>
        CardOf(IPAddress.Parse(address))?.GetIPStatistics().BytesSent ?? 0;

    private static NetworkInterface? CardOf(IPAddress address) =>
        Array.Find(NetworkInterface.GetAllNetworkInterfaces(), one => one.GetIPProperties().UnicastAddresses
            .Any(unicast => unicast.Address.Equals(address)
                || (IPAddress.IsLoopback(address) && one.NetworkInterfaceType == NetworkInterfaceType.Loopback)));

    private static long SpeedOf(NetworkInterface card)
    {
        try
        {
            return card.Speed;
        }
        catch (PlatformNotSupportedException)
        {
            return 0;
        }
    }

    private static string? OffloadsOf(string card)
    {
        if (!OperatingSystem.IsLinux() || !NamespaceSet.HasTool("ethtool")) return null;
        try
        {
            string[] on = [.. NamespaceSet.Run(["ethtool", "-k", card]).Split('\n')
                .Select(line => line.Split(':', 2))
                .Where(pair => pair.Length == 2 && pair[1].TrimStart().StartsWith("on", StringComparison.Ordinal))
                .Select(pair => pair[0].Trim())
                .Where(name => name is "tcp-segmentation-offload" or "generic-segmentation-offload"
                    or "generic-receive-offload" or "tx-udp-segmentation" or "rx-gro-hw" or "large-receive-offload")];
            return on.Length == 0 ? "none" : string.Join(", ", on);
        }
        catch (Exception failure) when (failure is InvalidOperationException or Win32Exception)
        {
            // It cannot be run, or does not know this card.
            return null;
        }
    }
}
