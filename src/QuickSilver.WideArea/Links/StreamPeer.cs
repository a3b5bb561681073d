namespace QuickSilver.WideArea.Links;

/// <summary>A neighbour whose link is carried by connections.</summary>
/// <param name="Site">Index of its site.</param>
/// <param name="Name">Name of its site.</param>
/// <param name="CertificateName">The name that the certificate of its gateway needs.</param>
internal sealed record StreamPeer(int Site, string Name, string CertificateName);
