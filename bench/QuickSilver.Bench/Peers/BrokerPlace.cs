namespace QuickSilver.Bench.Peers;

/// <summary>Where a broker is to be.</summary>
/// <param name="Folder">Whatever it writes goes here.</param>
/// <param name="Address">To listen at.</param>
/// <param name="Port">To listen on.</param>
internal sealed record BrokerPlace(string Folder, string Address, int Port);
