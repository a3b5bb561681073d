namespace QuickSilver.Bench.Peers;

/// <summary>Where a broker is to be.</summary>
/// <param name="Folder">Whatever it writes goes here.</param>
/// <param name="Address">To listen at.</param>
/// <param name="Port">To listen on.</param>
/// <param name="Adapter">Path of the adapter, for a broker that is a part of it.</param>
internal sealed record BrokerPlace(string Folder, string Address, int Port, string Adapter);
